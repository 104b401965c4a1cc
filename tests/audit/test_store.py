"""The study's database: made, opened, refused, brought up to date, copied, and its log guarded."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa
from audit_studies import experts, grade_next, small_study
from refusals import refused

from dissensus.audit import schema
from dissensus.audit import store as stores
from dissensus.audit.store import StudyStore
from dissensus.errors import FileError, InputError, OutputError


def labels(store: StudyStore) -> int:
    with store.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).select_from(schema.label)).scalar_one())


def test_a_newer_schema_is_refused(place: str) -> None:
    with StudyStore.create(place).write() as connection:
        connection.execute(schema.version.update().values(number=schema.SCHEMA + 1))
    with refused(FileError, schema.SCHEMA + 1, schema.SCHEMA):
        StudyStore.open(place)


def columns(store: StudyStore) -> set[str]:
    with store.read() as connection:
        return {c["name"] for c in sa.inspect(connection).get_columns("study")}


def test_an_older_schema_is_brought_up_to_date(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    StudyStore.create(place).close()

    def step(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE study ADD COLUMN colour TEXT")

    now = schema.SCHEMA
    monkeypatch.setattr(schema, "SCHEMA", now + 1)
    monkeypatch.setattr(stores, "MIGRATIONS", {now: step})
    opened = StudyStore.open(place)
    with opened.read() as connection:
        assert stores.schema_number(connection) == now + 1
    assert "colour" in columns(opened)
    StudyStore.open(place).close()  # and once is enough


def test_a_migration_that_fails_leaves_the_old_schema(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    StudyStore.create(place).close()

    def step(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ALTER TABLE study ADD COLUMN colour TEXT")
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(stores, "MIGRATIONS", {schema.SCHEMA: step})
        patch.setattr(schema, "SCHEMA", schema.SCHEMA + 1)
        with pytest.raises(RuntimeError, match="power cut"):
            StudyStore.open(place)
    assert "colour" not in columns(StudyStore.open(place))


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    with refused(FileError, "none.db"):
        StudyStore.open(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("not a database at all")
    with refused(FileError, "SQLite"):
        StudyStore.open(tmp_path / "text.db")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    with refused(FileError, "other.db"):
        StudyStore.open(tmp_path / "other.db")
    with refused(OutputError, "text.db"):
        StudyStore.create(tmp_path / "text.db")
    with refused(InputError, "mysql://host/db"):
        StudyStore.open("mysql://host/db")


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with refused(FileError, "127.0.0.1:1/none") as failure:
        StudyStore.open("postgresql://ann:secret@127.0.0.1:1/none")
    assert "secret" not in str(failure.value)


def test_a_backup_holds_what_was_acknowledged(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    ann, _ = experts(study)
    for i in range(5):
        assert grade_next(study, ann, f"r{i}") is not None
    assert labels(StudyStore.open(study.store.backup(tmp_path / "copy.db"))) == 5
    with refused(OutputError, "copy.db"):
        study.store.backup(tmp_path / "copy.db")
