"""Every test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from databases import postgresql_programs, private_postgresql

from dissensus.audit.store import StudyStore

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    if postgresql_programs() is None:
        pytest.skip("no PostgreSQL on this machine (apt-get install postgresql)")
    with private_postgresql() as address:
        yield address


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every database that a test opens is closed after it."""
    opened: list[StudyStore] = []
    made = StudyStore.__init__

    def remembered(store: StudyStore, *given: Any) -> None:
        opened.append(store)
        made(store, *given)

    monkeypatch.setattr(StudyStore, "__init__", remembered)
    yield
    for store in opened:
        store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new study can be made: a file that is not there, or an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    address = request.getfixturevalue("postgresql")
    name = f"study_{next(_NUMBERS)}"
    engine = sa.create_engine(sa.make_url(address).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return sa.make_url(address).set(database=name).render_as_string(hide_password=False)


@pytest.fixture
def store(place: str) -> Iterator[StudyStore]:
    opened = StudyStore.create(place)
    yield opened
    opened.close()
