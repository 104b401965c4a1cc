"""`dissensus gate` from the shell: exit status, files, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from audited_study import audit, study
from wording import phrase

from dissensus.cli import main


@pytest.fixture(scope="module", name="files")
def _files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gate")
    runs, bronze, gold = study(topics=30)
    for (system,), part in runs.to_frame().partition_by("system", as_dict=True).items():
        part.select("topic", "doc", "score").write_csv(folder / f"{system}.csv")
    lines = [f"q{q:02d},d{i:02d},{i}" for q in range(30) for i in range(16)]  # the worst documents first
    (folder / "C.csv").write_text("topic,doc,score\n" + "\n".join(lines))
    bronze.to_frame().write_csv(folder / "llm.csv")
    audit(gold, 0.5).to_frame().write_csv(folder / "gold.csv")
    return folder


def call(*words: object) -> int:
    return main([str(w) for w in words])


def test_three_outcomes_three_exit_codes(files, capsys):
    def gate(base, new, *more):
        return call("gate", files / f"{base}.csv", files / f"{new}.csv", "-j", files / "llm.csv", "-m", "P@5", *more)

    assert gate("C", "A", "--tolerance", "0.01") == 0
    assert capsys.readouterr().out.startswith(phrase("cli-gate.pass-not-worse", "A", "C", "0.01"))
    assert gate("A", "C", "--tolerance", "0.01") == 1
    assert capsys.readouterr().out.startswith(phrase("cli-gate.fail-worse", "C", "A", "0.01"))
    assert gate("A", "B", "--tolerance", "0.01", "--must-improve") in (1, 3)
    assert gate("A", "A", "--tolerance", "0") == 0
    assert gate("A", "A", "--tolerance", "0", "--must-improve") == 3
    capsys.readouterr()
    assert gate("A", "C") == 2  # no tolerance
    assert "tolerance" in capsys.readouterr().err
    assert gate("A", "C", "--tolerance", "-1") == 2
    assert gate("A", "C", "--tolerance", "0.1", "-o", "gate.docx") == 2


def test_an_audit_and_files(files, capsys, tmp_path):
    words = ["gate", files / "A.csv", files / "C.csv", "-j", files / "llm.csv", "--audit", files / "gold.csv"]
    words += ["-m", "P@5", "-m", "P@10", "--tolerance", "0.01", "--json"]
    made = [tmp_path / name for name in ("g.md", "g.xml", "g.json", "g.csv")]
    assert call(*words, *(w for path in made for w in ("-o", path))) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["decision"], said["exit_code"], said["corrected"]) == ("fail", 1, True)
    assert [r["measure"] for r in said["tables"]["checks"]] == ["P@5", "P@10"]
    assert all(path.stat().st_size for path in made)
    assert ElementTree.parse(tmp_path / "g.xml").getroot().get("tests") == "2"
    assert json.loads((tmp_path / "g.json").read_text())["decision"] == "fail"


def test_without_labels_it_says_what_to_give(files, capsys):
    assert call("gate", files / "A.csv", files / "B.csv", "--tolerance", "0.1") == 2
    assert phrase("cli-gate.judgments", "labels.qrels") in capsys.readouterr().err
