"""The seal: what was changed after it was written is noticed, and a kept hash proves what was not."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from audit_studies import experts, grade_next, small_study, truth
from refusals import refused
from wording import phrase

from dissensus.audit import schema, seal, whole
from dissensus.audit.export import audit_frame
from dissensus.audit.judging import judge
from dissensus.audit.labelling import Entry
from dissensus.audit.live import Live
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.cli import main
from dissensus.errors import FileError

TAMPERED = {
    "rates": ("UPDATE item SET rate = rate * 1.5 WHERE position = 3", "the order is not what was committed"),
    "stop rule": ("UPDATE study SET stop = 'budget:20'", "the settings are not what was committed"),
    "a text": ("UPDATE item SET doc_text = '{}' WHERE position = 1", "the texts are not what was committed"),
    "a grade": (
        "UPDATE label SET grade = CASE grade WHEN '3' THEN '0' ELSE '3' END WHERE id = 2",
        "(label) is not what was written",
    ),
    "a row gone": ("DELETE FROM label WHERE id = 4", "is gone"),
    "the last row gone": ("DELETE FROM label WHERE id = (SELECT max(id) FROM label)", "the log ends"),
    "an event": ("UPDATE event SET what = 'nothing' WHERE id = 1", "(event) is not what was written"),
    "a row put in": (
        "INSERT INTO label (assignment, action, grade, at, request) SELECT assignment, action, grade, at, 'x' "
        "FROM label WHERE id = 1",
        "not in the chain",
    ),
    "the judge's labels": ("UPDATE source SET body = x'00' WHERE name = 'judgments'", "the judgments are not"),
    "the label at which it stopped": ("UPDATE study SET stopped_at = 3", "the label at which it stopped"),
    "a state": ("UPDATE assignment SET state = 'open' WHERE state = 'graded'", "the log says otherwise"),
}


def made(path: Path) -> str:
    """A closed file with labels and an undo; its commitment."""
    with StudyStore.create(path) as store:
        study = small_study(store)
        ann, _ = experts(study)
        for i in range(6):
            document = grade_next(study, ann, f"r{i}")
        assert document is not None
        judge(study, ann.id, Entry(document["assignment"], "undo", "u"))
        grade_next(study, ann, "again")
        assert study.commitment is not None
        return study.commitment


def changed(path: Path, statement: str) -> None:
    """Somebody with the file changes it, and hides that as well as they can without computing the chain anew."""
    connection = sqlite3.connect(path, isolation_level=None)
    for trigger in ("label_no_change", "label_no_delete"):
        connection.execute(f"DROP TRIGGER {trigger}")
    assert connection.execute(statement).rowcount > 0
    whole._rest(connection)
    connection.close()


def test_an_honest_study_is_consistent_and_a_kept_hash_proves_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.db"
    commitment = made(path)
    assert main(["audit", "verify", str(path)]) == 0
    alone = capsys.readouterr().out
    assert phrase("audit-verify.consistent") in alone
    assert "unchanged" not in alone
    assert main(["audit", "verify", str(path), "--commitment", commitment, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["proven"], facts["labels"]) == (0, 8)
    assert main(["audit", "verify", str(path), "--commitment", facts["head"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["proven"] == facts["rows"]
    assert main(["audit", "verify", str(path), "--commitment", "0" * 64]) == 2
    assert main(["audit", "verify", str(path), "--commitment", "0"]) == 2


@pytest.mark.parametrize("what", TAMPERED)
def test_a_tampered_study_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str) -> None:
    """FINDINGS A7: rates changed in the database moved a difference under the unchanged hash."""
    path = tmp_path / "study.db"
    made(path)
    statement, problem = TAMPERED[what]
    changed(path, statement)
    with refused(FileError, "study.db"):
        Study.load(StudyStore.open(path))
    assert main(["audit", "verify", str(path)]) == 2
    assert problem in capsys.readouterr().err
    assert main(["audit", "status", str(path)]) == 2


def test_a_chain_computed_anew_has_another_commitment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who changes the rates and computes every hash again is consistent, and not what was committed."""
    path = tmp_path / "study.db"
    commitment = made(path)
    changed(path, TAMPERED["rates"][0])
    with StudyStore.open(path) as store, store.write() as connection:
        study_id = store.ids()[0]
        head = seal.commit(connection, study_id)
        for n, kind, row, old in seal._rows(connection, study_id):
            new = seal.next_hash(head, int(n or 0), kind, row)
            connection.exec_driver_sql(f"UPDATE {kind} SET hash = '{new}' WHERE hash = '{old}'")
            head = new
        values = {"head": head, "entries": int(n or 0)}
        connection.execute(schema.study.update().values(**values))
    assert main(["audit", "verify", str(path)]) == 0
    assert phrase("audit-verify.consistent") in capsys.readouterr().out
    assert main(["audit", "verify", str(path), "--commitment", commitment]) == 2
    assert commitment in capsys.readouterr().err


def test_the_chain_is_the_same_on_every_database(store: StudyStore) -> None:
    study = small_study(store)
    play(study, truth(), error=0.2, seed=1, most=30)
    found = study.seal()
    assert found.problems == ()
    assert found.labels == 30
    assert found.hashes[0] == study.commitment == seal.sha256(study.row.committed)
    assert len(set(found.hashes)) == len(found.hashes)
    assert study.current().entries == len(found.hashes) - 1


def test_a_study_changed_while_it_is_open_is_not_exported(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    live = play(study, truth(), seed=1, most=12).live
    assert audit_frame(study, live).height == len(study.order)
    with study.store.write() as connection:
        connection.exec_driver_sql("UPDATE item SET rate = 2 * rate WHERE position = 2")
    with refused(FileError, "order"):
        audit_frame(study, Live(study))


def test_the_closing_record_is_computed_anew_to_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.db"
    with StudyStore.create(path) as store:
        study = small_study(store, stop="budget:20")
        play(study, truth(), seed=1)
    assert main(["audit", "close", str(path), "-o", str(tmp_path / "closed")]) == 0
    file = tmp_path / "closed" / "record.json"
    assert main(["audit", "close", str(path), "-o", str(tmp_path / "again")]) == 0
    assert (tmp_path / "again" / "record.json").read_bytes() == file.read_bytes()
    assert main(["audit", "verify", str(path), "--record", str(file)]) == 0
    record = json.loads(file.read_text())
    assert record["results"]["labels"] == 20
    assert set(record["committed"]) == {"settings", "order", "texts", "weights", "people", "runs", "judgments"}
    with StudyStore.open(path) as store:
        assert record["log"] in Study.load(store).seal().hashes
    file.write_text(file.read_text().replace('"labels": 20', '"labels": 21'))
    capsys.readouterr()
    assert main(["audit", "verify", str(path), "--record", str(file)]) == 2
