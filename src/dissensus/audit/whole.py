"""A study's file is one whole file whenever nobody has it open, and a copy that lacks its log is noticed.

While a study is written, SQLite keeps new rows in a log next to it (`study.db-wal`). The file itself then carries a
mark, "open since", written before the first row. The clean end of a command or of the server merges the log, takes the
mark away and leaves a digest of all that the file holds. So every file shows what it is:

    at rest   no log belongs to it; the digest proves that no byte of its contents changed
    open      its log must be there: after a crash the next open merges it, a copy without it is refused
    old       made before there were marks

    >>> import tempfile, sqlite3, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "s.db"
    >>> connection = sqlite3.connect(path, isolation_level=None)
    >>> _ = connection.execute("CREATE TABLE dissensus_rest (number INTEGER PRIMARY KEY, digest TEXT)")
    >>> start(connection)
    >>> connection.close(); _ = end(path); state(path)
    'at rest'
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from dissensus.errors import FileError, InputError, OutputError
from dissensus.work.atomic import atomic_path

HEADER = b"SQLite format 3\x00"
REST = 1  # PRAGMA user_version: 0 before there were marks, REST, or the second since which the file is open
PATIENCE = 30.0  # seconds that one writer waits for another
State = Literal["at rest", "open", "old"]


def beside(path: Path, what: str) -> Path:
    """A file that SQLite keeps beside a database: -wal, -shm, -journal."""
    return path.with_name(path.name + what)


def connected(path: Path, how: str) -> sqlite3.Connection:
    """A plain connection; `how` is mode=ro (merges nothing), mode=rw, or immutable=1 (does not look at the log)."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=PATIENCE, isolation_level=None)


def mark(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def state(path: Path) -> State:
    """What the file itself says, without its log."""
    with contextlib.closing(connected(path, "immutable=1")) as connection:
        found = mark(connection)
    return "old" if found == 0 else "at rest" if found == REST else "open"


# ── from rest to work and back ───────────────────────────────────────────────────────────────────────────────────────
def start(connection: sqlite3.Connection) -> None:
    """Put the mark into the file, and the log beside it; called before the first row is written."""
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal" or mark(connection) <= REST:
        connection.execute(f"PRAGMA user_version = {max(int(time.time()), REST + 1)}")
    if mode == "wal":
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # a study of an older version, left as it was
    else:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # the log is there from now on


def end(path: Path) -> bool:
    """Merge the log and take the mark away; False where somebody else still has the file open, and will do it."""
    try:
        with contextlib.closing(connected(path, "mode=rw")) as connection:
            return merged(connection)
    except sqlite3.Error:  # not ours to write: the file stays marked, and the next end merges it
        return False


def merged(connection: sqlite3.Connection) -> bool:
    """The same by the last connection to the file."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete":
            _rest(connection)
            for _, name, file in connection.execute("PRAGMA database_list"):
                if name == "main":
                    beside(Path(file), "-count").unlink(missing_ok=True)
            return True
    except sqlite3.OperationalError:  # in use
        pass
    return False


def _rest(connection: sqlite3.Connection) -> None:
    """Leave a digest and take the mark away, in one transaction."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete":  # nobody began in between
            connection.execute("DELETE FROM dissensus_rest")
            connection.execute("INSERT INTO dissensus_rest VALUES (1, ?)", (digest(connection),))
            connection.execute(f"PRAGMA user_version = {REST}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def digest(connection: sqlite3.Connection) -> str:
    """sha256 of every row of every table, and of the tables' definitions."""
    found = hashlib.sha256()
    tables = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name").fetchall()
    for row in tables:
        found.update(repr(row).encode())
    for kind, name, *_ in tables:
        if kind == "table" and name != "dissensus_rest":
            quoted = str(name).replace('"', '""')
            for row in connection.execute(f'SELECT * FROM "{quoted}" ORDER BY rowid'):
                found.update(repr(tuple(map(_short, row))).encode())
    return found.hexdigest()


def _short(value: object) -> object:
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else value


class HighWater:
    """How many rows of the chain were acknowledged, in a small file beside an open study.

    Its log may lose its end (a damaged disk, a copy cut off), and what is left still looks like a study. The count,
    written after every commit, shows that. It is gone when the file is at rest.
    """

    def __init__(self, path: Path) -> None:
        self.file = beside(path, "-count")
        self._handle: int | None = None

    def put(self, rows: int) -> None:
        with contextlib.suppress(OSError):  # the rows are safe; only this second look at them is not
            if self._handle is None:
                self._handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o666)
            os.write(self._handle, b"%020d\n" % rows)
            os.lseek(self._handle, 0, os.SEEK_SET)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def rows_kept(connection: sqlite3.Connection) -> int:
    """Rows of the chains of all studies in a file."""
    return int(connection.execute("SELECT coalesce(sum(entries), 0) FROM study").fetchone()[0])


def _check_count(path: Path, connection: sqlite3.Connection) -> None:
    try:
        wanted = int(beside(path, "-count").read_text())
    except (OSError, ValueError):
        return
    if (there := rows_kept(connection)) < wanted:
        raise FileError(
            f"{path}-wal is damaged or cut off: {wanted - there:,} rows that were acknowledged are missing.",
            "Restore a backup: dissensus audit restore",
            f"Go on with the {there:,} rows that are left: move {path.name}-count away.",
        )


# ── checking a file before it is used ────────────────────────────────────────────────────────────────────────────────
def check(path: Path, *, contents: bool = True) -> State:
    """Refuse a file that is no study, lacks its log, has another's log, or is damaged. `contents`: also the digest."""
    if not path.is_file():
        raise FileError(f"{path} is not a file.", "Make a study with: dissensus audit new")
    with damage(path):
        found = _state_of(path)
    log = beside(path, "-wal")
    if found == "at rest" and log.exists() and log.stat().st_size and state(path) == "at rest":
        raise FileError(
            f"{log} does not belong to {path}, which was closed properly and has no log.",
            f"If {path.name} was replaced by a copy, move the log away and restore the copy: dissensus audit restore",
        )
    if found == "open" and not log.exists() and _logged(path):
        raise FileError(
            f"{path} is a copy without its log: labels are missing. It was open when it was copied.",
            f"Copy {path.name}-wal from the same place, too, or make the copy with: dissensus audit backup",
            f"Is the log lost? Go on with what is here: dissensus audit restore {path} -o NEW --without-log",
        )
    with damage(path), contextlib.closing(connected(path, "mode=ro")) as connection:
        (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
        if answer != "ok":
            raise sqlite3.DatabaseError(str(answer))
        if found == "open":
            _check_count(path, connection)
        kept = _kept_digest(connection) if contents and found == "at rest" else None
        changed = kept is not None and mark(connection) == REST and kept != digest(connection)
    if changed:
        raise FileError(
            f"{path} was changed outside of dissensus, or is damaged: its contents are not those that were left.",
            f"See what changed: dissensus audit verify {path}",
            "Restore a backup: dissensus audit restore",
        )
    return found


def _state_of(path: Path) -> State:
    with path.open("rb") as file:
        if file.read(16) != HEADER:
            raise FileError(f"{path} is not a study: it is not a SQLite database.")
    return state(path)


def _logged(path: Path) -> bool:
    """Does the file say that newer rows are in a log? A kill at the very end may leave the mark on a whole file."""
    with path.open("rb") as file:  # nobody in this process has it open: there is no log
        return file.read(20)[18:20] == b"\x02\x02"


def _kept_digest(connection: sqlite3.Connection) -> str | None:
    try:
        row = connection.execute("SELECT digest FROM dissensus_rest").fetchone()
    except sqlite3.OperationalError:
        return None
    return None if row is None else str(row[0])


@contextlib.contextmanager
def damage(path: str | os.PathLike[str]) -> Iterator[None]:
    """Whatever reading a damaged file brings up, in our words."""
    try:
        yield
    except (InputError, OutputError):
        raise
    except sqlite3.OperationalError as error:
        if "malformed" not in str(error) and "UTF-8" not in str(error):
            raise FileError(f"{path} cannot be read: {error}.", "Check the rights and the disk.") from error
        raise _damaged(path) from error
    except (sqlite3.Error, ValueError, OverflowError, TypeError, ArithmeticError, LookupError) as error:
        raise _damaged(path) from error


def _damaged(path: str | os.PathLike[str]) -> FileError:
    return FileError(
        f"{path} is damaged: it cannot be read as a study.",
        f"If it was copied while it was served, make the copy with: dissensus audit backup {path} -o COPY",
        "Restore a backup: dissensus audit restore",
    )


# ── copies ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def copied(connection: sqlite3.Connection, target: Path) -> None:
    """All that a connection sees, as a new file at rest."""
    if target.exists():
        raise OutputError(f"{target} exists already.", "Name a new file.")
    with atomic_path(target) as temporary, contextlib.closing(sqlite3.connect(temporary, isolation_level=None)) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE").fetchone()
        copy.execute("CREATE TABLE IF NOT EXISTS dissensus_rest (number INTEGER PRIMARY KEY, digest TEXT)")
        _rest(copy)


def in_use(path: Path) -> bool:
    """Does a process have the study open? SQLite holds a lock on the file for as long as it does."""
    try:
        import fcntl
    except ImportError:  # a system where a file in use cannot be replaced anyway
        return False
    with path.open("rb+") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
        except OSError:
            return True
    return False


def set_aside(path: Path) -> Path:
    """Rename a study and what lies beside it, so that another file can take its place; nothing is deleted."""
    if in_use(path):
        raise OutputError(f"{path} is open in another process.", "Stop the server first.")
    for number in range(1, 1000):
        new = path.with_name(f"{path.name}.replaced-{number}")
        if not new.exists():
            break
    path.rename(new)
    for what in ("-wal", "-shm", "-journal", "-count"):
        if beside(path, what).exists():
            beside(path, what).rename(beside(new, what))
    return new


def restore(source: Path, target: Path, *, without_log: bool = False) -> Path | None:
    """Put a copy in the place of a study; the study that was there is set aside, and its new name returned."""
    if source.absolute() == target.absolute():
        raise OutputError(f"{source} cannot be restored over itself.", "Name another file with -o.")
    if without_log:
        with damage(source):
            _state_of(source)
    else:
        check(source)
    new = target.with_name(f".{target.name}-{os.getpid()}.restored")
    with damage(source), contextlib.closing(connected(source, "immutable=1" if without_log else "mode=ro")) as given:
        copied(given, new)
    try:
        check(new)
        aside = set_aside(target) if target.exists() else None
        new.rename(target)
    finally:
        new.unlink(missing_ok=True)
    return aside
