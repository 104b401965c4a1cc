"""Finished units of work in one SQLite file: table `units(task, number, payload)`.

SQLite's write-ahead log makes a unit either recorded or absent, whenever the process is killed; a power cut may cost
the units of the last moment, never the file. The connection holds the file exclusively, so that a second process
cannot write to it. A payload begins with its checksum: SQLite would not notice a bit that the disk has flipped.
Units of other work are refused, with what differs in lines that a person can act on.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sqlite3
import time
import warnings
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.errors import DataWarning, OutputError, WorkspaceError
from dissensus.work.payload import decode, encode

if TYPE_CHECKING:
    from dissensus.arrays import Values

SCHEMA = 3  # of the file; 2 held arrays as text (dissensus 0.2), 1 was a folder of records (0.1)
APPLICATION = 0x64697373  # "diss": SQLite's note of whose file it is
_SUM = 16  # bytes of a checksum
_TABLES = (
    "CREATE TABLE about (task TEXT PRIMARY KEY, json TEXT NOT NULL)",
    "CREATE TABLE units (task TEXT NOT NULL, number INTEGER NOT NULL, payload BLOB NOT NULL,"
    " PRIMARY KEY (task, number)) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {SCHEMA}",
)


class Store:
    """The open file. `about("")` is what the work as a whole is about, `about(name)` what one task is about."""

    def __init__(self, path: Path, *, wait: bool = False) -> None:
        self.path = path
        self.process = os.getpid()
        if path.is_symlink():
            raise WorkspaceError(
                f"{path} is a symbolic link, and a workspace follows none.", "Give the folder that the link points to."
            )
        self.connection = _opened(path, wait)
        _open_stores.add(self)

    def about(self, task: str) -> Values | None:
        """What was noted about `task`, or None."""
        rows = self._read("SELECT json FROM about WHERE task = ?", task)
        try:
            return dict(json.loads(rows[0][0])) if rows else None
        except (ValueError, TypeError, RecursionError) as error:
            raise _damaged(self.path, error) from error

    def note(self, task: str, about: Mapping[str, object]) -> None:
        """Note what `task` is about."""
        self._write("INSERT OR REPLACE INTO about VALUES (?, ?)", (task, json.dumps(about, ensure_ascii=False)))

    def begun(self) -> bool:
        """Has any task begun?"""
        return bool(self._read("SELECT 1 FROM about WHERE task <> '' LIMIT 1"))

    def put(self, task: str, number: int, payload: bytes) -> None:
        """Record a finished unit."""
        self._write("INSERT INTO units VALUES (?, ?, ?)", (task, number, _checksum(task, number, payload) + payload))

    def remove(self, task: str, number: int) -> None:
        """Forget a unit."""
        self._write("DELETE FROM units WHERE task = ? AND number = ?", (task, number))

    def get(self, task: str, number: int) -> bytes:
        """The payload of a unit."""
        return bytes(self._stored(task, number))[_SUM:]

    def numbers(self, task: str) -> tuple[set[int], list[int]]:
        """The units of a task: those that are intact, and those whose checksum does not hold."""
        intact: set[int] = set()
        damaged: list[int] = []
        for (number,) in self._read("SELECT number FROM units WHERE task = ?", task):
            blob = self._stored(task, number)
            if isinstance(blob, bytes) and blob[:_SUM] == _checksum(task, number, blob[_SUM:]):
                intact.add(number)
            else:
                damaged.append(number)
        return intact, damaged

    def _stored(self, task: str, number: int) -> Any:
        """The payload as it is in the file; in a damaged one a unit may be listed that cannot be found."""
        rows = self._read("SELECT payload FROM units WHERE task = ? AND number = ?", task, number)
        if len(rows) != 1:
            raise _damaged(self.path, ValueError(f"unit {number} of {task} is listed and not there"))
        return rows[0][0]

    def close(self) -> None:
        """Close the file; a process that was forked from the one that opened it leaves it alone."""
        if os.getpid() == self.process:
            self.connection.close()
        _open_stores.discard(self)

    def _read(self, query: str, *values: object) -> list[Any]:
        try:
            return self.connection.execute(query, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _damaged(self.path, error) from error

    def _write(self, statement: str, values: tuple[object, ...]) -> None:
        if os.getpid() != self.process:
            raise WorkspaceError(
                f"{self.path} was opened by another process (before a fork), which alone may write to it.",
                "Open the workspace in the process that uses it, or start workers with 'spawn'.",
            )
        try:
            self.connection.execute(statement, values)
        except sqlite3.OperationalError as error:  # no room, no permission
            raise OutputError(f"{self.path} cannot be written to: {error}.", "Make room and start again.") from error
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _damaged(self.path, error) from error


class Task:
    """Finished units of one task. Ask what is `done`, `append` what is new."""

    def __init__(self, store: Store, name: str, about: Mapping[str, object]) -> None:
        self.store, self.name = store, name
        self.folder = store.path.parent
        self._check(json.loads(json.dumps({"task": name, **about})))
        self._done, damaged = store.numbers(name)
        for number in damaged:
            store.remove(name, number)
        if damaged:
            warnings.warn(
                f"{store.path}: {len(damaged)} damaged unit(s) of {name}; they are done again.",
                DataWarning,
                stacklevel=2,
            )

    @property
    def done(self) -> frozenset[int]:
        """Numbers of the units that are finished."""
        return frozenset(self._done)

    def __len__(self) -> int:
        return len(self._done)

    def __contains__(self, number: int) -> bool:
        return number in self._done

    def read(self, number: int) -> Any:
        """The result of a finished unit."""
        return decode(self.store.get(self.name, number))

    def append(self, number: int, result: object) -> None:
        """Record a finished unit; a unit that is there already is left as it is."""
        if number in self._done:
            return
        payload = encode(result)
        try:
            self.store.put(self.name, number, payload)
        except OutputError as error:
            raise OutputError(
                f"unit {number} could not be recorded: {error.what}",
                f"The {len(self._done):,} units before it are kept; make room and start again.",
            ) from error
        self._done.add(number)

    def _check(self, about: dict[str, object]) -> None:
        written = self.store.about(self.name)
        if written is None:
            self.store.note(self.name, about)
        elif written != about:
            raise WorkspaceError(
                f"{self.store.path} holds units of other work:",
                *difference(written, about),
                "Use another workspace for this work, or repeat the old one.",
            )


def _opened(path: Path, wait: bool) -> sqlite3.Connection:
    """A connection that owns the file, its tables made."""
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            _take(connection, path, wait)
        except BaseException:
            connection.close()
            raise
        return connection
    except sqlite3.OperationalError as error:
        raise OutputError(
            f"workspace {path.parent} cannot be written to: {error}.", "Choose a folder you can write to."
        ) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite's own message may hold the damaged bytes
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> WorkspaceError:
    return WorkspaceError(f"{path} is damaged ({error}).", "Use another workspace, or remove this one to start afresh.")


def _take(connection: sqlite3.Connection, path: Path, wait: bool) -> None:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if not wait:
                raise WorkspaceError(
                    f"workspace {path.parent} is in use by another process.",
                    "Wait until it has finished, or use another workspace.",
                ) from None
            time.sleep(0.2)
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not tables:
        for statement in _TABLES:
            connection.execute(statement)
    elif (application, schema) != (APPLICATION, SCHEMA):
        raise WorkspaceError(
            f"{path} is not a workspace of this version of dissensus.", "Use another folder, or remove this one."
        )
    connection.execute("COMMIT")


def _checksum(task: str, number: int, payload: bytes) -> bytes:
    digest = hashlib.blake2b(f"{task}\0{number}\0".encode("utf-8", "surrogatepass"), digest_size=_SUM)
    digest.update(payload)
    return digest.digest()


_open_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def _disown() -> None:
    """In a forked child: closing SQLite's connection, even at exit, would tidy up under the parent's hands.

    The connection is given one reference that is never taken back, so that it is never closed here.
    """
    for store in _open_stores:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(store.connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown)


def difference(old: Mapping[str, object], new: Mapping[str, object], then: str = "in the workspace") -> list[str]:
    """One line per parameter that differs; of a table in it, one per entry.

    >>> difference({"seed": 0, "measure": "AP"}, {"seed": 1, "measure": "AP"})
    ['seed: 0 in the workspace, 1 now']
    >>> difference({"files": {"a.csv": "17", "b.csv": "4"}}, {"files": {"a.csv": "17", "b.csv": "5"}})
    ['files, b.csv: "4" in the workspace, "5" now']
    """
    absent = object()

    def shown(value: object) -> str:
        text = "absent" if value is absent else json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 80 else text[:77] + "…"

    lines = []
    for key in [*old, *(k for k in new if k not in old)]:
        before, now = old.get(key, absent), new.get(key, absent)
        if isinstance(before, Mapping) and isinstance(now, Mapping):
            lines += [f"{key}, {line}" for line in difference(before, now, then)]
        elif before != now:
            lines.append(f"{key}: {shown(before)} {then}, {shown(now)} now")
    return lines
