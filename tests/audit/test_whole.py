"""A study is one whole file: copied at any moment it is whole, or refused in words."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from audit_studies import experts, grade_next, small_study
from refusals import refused
from wording import phrase

from dissensus.audit import whole
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.cli import main
from dissensus.errors import FileError, OutputError


def made(path: Path, labels: int = 5) -> StudyStore:
    """An open study with labels."""
    study = small_study(StudyStore.create(path))
    ann, _ = experts(study)
    for i in range(labels):
        assert grade_next(study, ann, f"r{i}") is not None
    return study.store


def labels(path: Path) -> int:
    with StudyStore.open(path) as store:
        return Study.load(store).seal().labels


def test_a_closed_study_is_one_file_and_a_copy_of_it_is_whole(tmp_path: Path) -> None:
    made(tmp_path / "study.db").close()
    assert [p.name for p in tmp_path.iterdir()] == ["study.db"]
    assert whole.state(tmp_path / "study.db") == "at rest"
    shutil.copy(tmp_path / "study.db", tmp_path / "copy.db")
    assert labels(tmp_path / "copy.db") == 5


def test_reading_leaves_every_byte_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    made(path).close()
    before = path.read_bytes()
    assert labels(path) == 5
    assert path.read_bytes() == before


def test_a_copy_without_its_log_is_refused_and_can_be_restored_knowingly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """FINDINGS A2: 391 of 530 labels, exit 0."""
    store = made(tmp_path / "study.db")
    lonely, both = tmp_path / "lonely.db", tmp_path / "both.db"
    shutil.copy(tmp_path / "study.db", lonely)
    shutil.copy(tmp_path / "study.db", both)
    shutil.copy(tmp_path / "study.db-wal", tmp_path / "both.db-wal")
    with refused(FileError, "lonely.db", "lonely.db-wal", "backup"):
        StudyStore.open(lonely)
    assert labels(both) == 5  # as a crash leaves it: the next open merges the log
    assert whole.state(both) == "at rest"
    assert main(["audit", "restore", str(lonely), "-o", str(tmp_path / "rescued.db"), "--without-log"]) == 2
    assert phrase("audit-store.no-study") in capsys.readouterr().err  # nothing had been merged yet
    store.close()
    again = Study.load(StudyStore.open(tmp_path / "study.db"))
    ann, _ = experts(again)
    grade_next(again, ann, "late")
    shutil.copy(tmp_path / "study.db", tmp_path / "older.db")
    with refused(FileError, "older.db"):
        StudyStore.open(tmp_path / "older.db")
    assert main(["audit", "restore", str(tmp_path / "older.db"), "-o", str(tmp_path / "new.db"), "--without-log"]) == 0
    assert labels(tmp_path / "new.db") == 5
    with StudyStore.open(tmp_path / "new.db") as found:
        assert Study.load(found).seal().problems == ()


def test_a_log_of_another_study_is_refused_and_never_merged(tmp_path: Path) -> None:
    """FINDINGS A2: a backup copied over a study beside the old log was "malformed"."""
    store = made(tmp_path / "study.db")
    copy = store.backup(tmp_path / "copy.db")
    log = (tmp_path / "study.db-wal").read_bytes()
    (tmp_path / "copy.db-wal").write_bytes(log)
    before = copy.read_bytes()
    with refused(FileError, "copy.db-wal"):
        StudyStore.open(copy)
    assert copy.read_bytes() == before
    (tmp_path / "copy.db-wal").unlink()
    assert labels(copy) == 5


def test_a_backup_takes_the_place_of_a_study_and_what_was_there_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.db"
    store = made(path)
    store.backup(tmp_path / "copy.db")
    study = Study.load(store)
    ann, _ = experts(study)
    grade_next(study, ann, "late")
    store.close()
    assert main(["audit", "restore", str(tmp_path / "copy.db"), "-o", str(path)]) == 0
    assert "study.db.replaced-1" in capsys.readouterr().err
    assert labels(path) == 5
    assert labels(tmp_path / "study.db.replaced-1") == 6


def test_a_study_that_is_served_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    made(path).close()
    hold = (
        "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN IMMEDIATE'); "
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with refused(OutputError, "study.db"):
            whole.set_aside(path)
    assert path.exists()


def test_a_changed_row_is_noticed_on_open(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    made(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE assignment SET turn = turn + 1 WHERE id = 1")
    connection.close()
    with refused(FileError, "study.db", "verify"):
        StudyStore.open(path)


def test_the_last_of_two_leaves_the_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    first = made(path)
    second = StudyStore.open(path)
    first.close()
    assert whole.state(path) == "open"  # the other one still has it
    second.close()
    assert whole.state(path) == "at rest"
    assert labels(path) == 5
