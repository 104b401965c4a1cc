"""Opening a study's database: a SQLite file, or PostgreSQL by its address.

    store = Store.create("study.db")                       # refuses a file that is there
    store = Store.open("postgresql://team@db.example/audits")
    with store.write() as connection: …                    # one transaction, one writer at a time
    with store.read() as connection: …                     # a consistent view

SQLite runs in WAL mode with every commit forced to disk: a label that was acknowledged survives a kill and a power cut.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as events
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from dissensus.audit import schema
from dissensus.audit.schema import MIGRATIONS
from dissensus.errors import FileError, InputError, MissingExtra, OutputError

SQLITE_HEADER = b"SQLite format 3\x00"
SERVER = ("postgresql://", "postgres://", "postgresql+psycopg://")


class Store:
    """A database with the audit's tables. Safe to use from several threads and, with PostgreSQL, several servers."""

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine = engine
        self.name = name  # a path or an address without its password, for messages
        # SQLite makes writers wait by sleeping longer and longer; in one process they can queue
        self._turn = threading.Lock() if engine.dialect.name == "sqlite" else contextlib.nullcontext()

    @classmethod
    def create(cls, place: str | os.PathLike[str]) -> Store:
        """A new SQLite file, or the tables in a PostgreSQL database (which may hold studies already)."""
        text = os.fspath(place)
        store = cls(_engine(text), _shown(text))
        if is_server(text):
            with store._speaking(), store.write() as connection:
                if not _has_tables(connection):
                    schema.create_tables(connection)
            store._migrate()
            return store
        path = Path(text)
        if path.exists():
            raise OutputError(f"{path} exists already.", "Name a new file; a study is never overwritten.")
        if not path.absolute().parent.is_dir():
            raise OutputError(f"{path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")
        with store.write() as connection:
            schema.create_tables(connection)
        return store

    @classmethod
    def open(cls, place: str | os.PathLike[str]) -> Store:
        """The database of a study made before; an older schema is brought up to date, a newer one is refused."""
        text = os.fspath(place)
        if not is_server(text):
            _check_file(text)
        store = cls(_engine(text), _shown(text))
        with store._speaking(), store.read() as connection:
            if not _has_tables(connection):
                raise FileError(f"{store.name} holds no audit study.", "Make one with: dissensus audit new")
        store._migrate()
        return store

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; it is committed when the block ends. Writers wait for each other."""
        with (
            self._turn,
            self.engine.connect().execution_options(immediate=True) as connection,
            connection.begin(),
        ):
            yield connection

    def rows(self, query: sa.Select[Any]) -> list[Any]:
        """All rows that a query finds."""
        with self.read() as connection:
            return list(connection.execute(query))

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """A consistent copy of a SQLite study, also while it is being judged."""
        import sqlite3

        from dissensus.work.atomic import atomic_path

        if self.engine.dialect.name != "sqlite":
            raise InputError(f"{self.name} is a PostgreSQL database.", "Back it up with pg_dump.")
        path = Path(target)
        if path.exists():
            raise OutputError(f"{path} exists already.", "Name a new file.")
        with atomic_path(path) as temporary, self.engine.connect() as connection:
            copy = sqlite3.connect(temporary)
            try:
                driver: Any = connection.connection.driver_connection
                driver.backup(copy)
            finally:
                copy.close()
        return path

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _migrate(self) -> None:
        with self._speaking(), self.read() as connection:
            number = schema_number(connection)
        if number > schema.SCHEMA:
            raise FileError(
                f"{self.name} has schema {number}; this version of dissensus knows schemas up to {schema.SCHEMA}.",
                "Open it with a newer version of dissensus.",
            )
        if number == schema.SCHEMA:
            return
        with self.write() as connection:
            for step in range(schema_number(connection), schema.SCHEMA):
                MIGRATIONS[step](connection)
                connection.execute(schema.version.update().values(number=step + 1))

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Errors of the database in our words."""
        try:
            yield
        except OperationalError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise FileError(f"{self.name} cannot be reached: {reason}.", "Check the address and the rights.") from error
        except DBAPIError as error:
            raise FileError(f"{self.name} is not a usable database: {error.orig}.") from error


def is_server(place: str) -> bool:
    """True for the address of a PostgreSQL database."""
    return place.startswith(SERVER)


def schema_number(connection: Connection) -> int:
    number = connection.execute(sa.select(schema.version.c.number)).scalar()
    return int(number or 0)


def _has_tables(connection: Connection) -> bool:
    return sa.inspect(connection).has_table(schema.version.name)


def _shown(place: str) -> str:
    return sa.make_url(place).render_as_string(hide_password=True) if is_server(place) else place


def _check_file(place: str) -> None:
    if "://" in place:
        raise InputError(f"{place} is not an address we know.", "Give a file, or postgresql://user@host/database.")
    path = Path(place)
    if not path.is_file():
        raise FileError(f"{path} is not a file.", "Make a study with: dissensus audit new")
    with path.open("rb") as file:
        if file.read(16) != SQLITE_HEADER:
            raise FileError(f"{path} is not a study: it is not a SQLite database.")


def _engine(place: str) -> Engine:
    if not is_server(place):
        return _sqlite(Path(place))
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise MissingExtra("a study in PostgreSQL", "postgres") from error
    url = sa.make_url(place).set(drivername="postgresql+psycopg")
    return sa.create_engine(url, pool_pre_ping=True, pool_size=10, max_overflow=10)


def _sqlite(path: Path) -> Engine:
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)), connect_args={"timeout": 30})

    @events.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @events.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine
