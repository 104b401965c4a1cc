"""Opening a study's database: a SQLite file, or PostgreSQL by its address.

    store = StudyStore.create("study.db")                  # refuses a file that is there
    store = StudyStore.open("postgresql://team@db.example/audits")
    with store.write() as connection: …                    # one transaction, one writer at a time
    with store.read() as connection: …                     # a consistent view

SQLite runs in WAL mode with every commit forced to disk: a label that was acknowledged survives a kill and a power cut.
When the store is closed (or forgotten, or the process ends) the log is merged. See `whole` for how the file stays one.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as events
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from dissensus.audit import schema, whole
from dissensus.audit.schema import MIGRATIONS
from dissensus.errors import FileError, InputError, MissingExtra, OutputError

_ROWS = sa.select(sa.func.sum(schema.study.c.entries))
SERVER = ("postgresql://", "postgres://", "postgresql+psycopg://")


class Unavailable(FileError):
    """The database does not answer now: the disk is full, the server is away, or the file is in use."""


class StudyStore:
    """A database with the audit's tables. Safe to use from several threads and, with PostgreSQL, several servers."""

    def __init__(self, engine: Engine, place: str) -> None:
        self.engine = engine
        self.name = _shown(place)  # a path or an address without its password, for messages
        self.path = None if is_server(place) else Path(place)
        # SQLite makes writers wait by sleeping longer and longer; in one process they can queue
        self._turn = threading.Lock() if self.path is not None else contextlib.nullcontext()
        self._started = self.path is None
        self._made = False  # are all tables of the present schema there?
        self._count = None if self.path is None else whole.HighWater(self.path)
        weakref.finalize(self, _end, engine, self.path, self._count)  # also when the process ends

    @classmethod
    def create(cls, place: str | os.PathLike[str]) -> StudyStore:
        """A new SQLite file, or the tables in a PostgreSQL database (which may hold studies already)."""
        text = os.fspath(place)
        if not is_server(text):
            _check_new(Path(text))
        store = cls(_engine(text), text)
        if is_server(text):
            with store.write() as connection:
                if not _has_tables(connection):
                    schema.create_tables(connection)
            store._migrate()
            return store
        with store.write() as connection:
            schema.create_tables(connection)
        store._made = True
        return store

    @classmethod
    def open(cls, place: str | os.PathLike[str], *, changed: bool = False) -> StudyStore:
        """The database of a study made before; an older schema is brought up to date, a newer one is refused.

        A damaged file is refused; with `changed`, one whose contents were changed is opened, to see what was.
        """
        text = os.fspath(place)
        if not is_server(text):
            if "://" in text:
                raise InputError(
                    f"{text} is not an address we know.", "Give a file, or postgresql://user@host/database."
                )
            whole.check(Path(text), contents=not changed)
        store = cls(_engine(text), text)
        try:
            with store.read() as connection:
                if not _has_tables(connection):
                    raise FileError(f"{store.name} holds no audit study.", "Make one with: dissensus audit new")
            store._migrate()
            store._made = True
        except BaseException:
            store.close()
            raise
        return store

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads."""
        with self._speaking(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """The same for several statements that must see one state."""
        level = {} if self.path is not None else {"isolation_level": "REPEATABLE READ"}
        with self._speaking(), self.engine.connect().execution_options(**level) as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes; it is committed when the block ends. Writers wait for each other."""
        with self._speaking(), self._turn:
            if not self._started:
                self._start()
            with self.engine.connect().execution_options(immediate=True) as connection, connection.begin():
                yield connection
                rows = self._rows(connection)
            if self._count is not None:
                self._count.put(rows)

    def ids(self) -> list[str]:
        """The studies that it holds, the oldest first."""
        return [str(r.id) for r in self.rows(sa.select(schema.study.c.id).order_by(schema.study.c.created))]

    def rows(self, query: sa.Select[Any]) -> list[Any]:
        """All rows that a query finds."""
        with self.read() as connection:
            return list(connection.execute(query))

    def backup(self, target: str | os.PathLike[str]) -> Path:
        """A consistent copy of a SQLite study, also while it is being judged."""
        if self.path is None:
            raise InputError(f"{self.name} is a PostgreSQL database.", "Back it up with pg_dump.")
        path = Path(target)
        with self._speaking(), self.engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            whole.copied(driver, path)
        return path

    def _rows(self, connection: Connection) -> int:
        """Rows of all chains, for the count beside a file."""
        if self._count is None or not self._made:
            return 0
        return int(connection.execute(_ROWS).scalar() or 0)

    def _start(self) -> None:
        """Mark the file as open, before the first row is written."""
        raw = self.engine.raw_connection()
        try:
            driver: Any = raw.driver_connection
            whole.start(driver)
        finally:
            raw.close()
        self._started = True

    def close(self) -> None:
        """Let go of all connections, and leave one whole file."""
        _end(self.engine, self.path, self._count)
        self._started = self.path is None

    def __enter__(self) -> StudyStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _migrate(self) -> None:
        with self.read() as connection:
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
        """Errors of the database in our words; statements and their values are in none of them."""
        try:
            yield
        except (OperationalError, InterfaceError) as error:
            raise Unavailable(*_reason(self.name, error)) from error
        except DBAPIError as error:
            broken = type(error) is sa.exc.DatabaseError or isinstance(error, sa.exc.ProgrammingError)
            if broken and "append-only" not in str(error.orig):
                raise FileError(f"{self.name} is damaged, or was changed outside of dissensus.") from error
            raise


def _end(engine: Engine, path: Path | None, count: whole.HighWater | None) -> None:
    """Let go of all connections, and leave one whole file."""
    if count is not None:
        count.close()
    if path is None or not path.exists():
        engine.dispose()
        return
    with contextlib.suppress(sqlite3.Error), contextlib.closing(whole.connected(path, "mode=rw")) as last:
        marked = whole.mark(last) > whole.REST  # reading it, this connection keeps the log until it is merged
        engine.dispose()
        if marked:
            whole.merged(last)
    engine.dispose()


def _reason(name: str, error: DBAPIError) -> tuple[str, str]:
    """What is wrong with the database, and what to do."""
    said = str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__
    if "full" in said or "No space" in said:
        return f"{name} cannot be written: the disk is full.", "Free some space; nothing that was saved is lost."
    if "locked" in said:
        return f"{name} is in use by another process.", "Try again in a moment."
    if "readonly" in said or "read-only" in said:
        return f"{name} cannot be written: it is read-only.", "Check the rights of the file and its folder."
    return f"{name} cannot be reached: {said}.", "Check the address, the rights and the disk."


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


def _check_new(path: Path) -> None:
    if path.exists():
        raise OutputError(f"{path} exists already.", "Name a new file; a study is never overwritten.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")
    for what in ("-wal", "-journal"):
        if whole.beside(path, what).exists():
            raise OutputError(f"{path}{what} is the log of another study.", "Name a new file, or move the log away.")


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
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(path)), connect_args={"timeout": whole.PATIENCE})

    @events.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @events.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        immediate = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine
