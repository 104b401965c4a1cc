"""Files that are either whole or not there.

A result is written into a temporary file beside its target, forced to disk, and renamed over the target: a reader sees
the old file or the new one, never half of one, and a full disk or Ctrl-C leaves nothing behind.

    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "scores.csv"
    >>> with atomic(target) as file:
    ...     _ = file.write("system,AP\\n")
    >>> target.read_text()
    'system,AP\\n'

Not for logs that grow (a workspace appends) and not for pipes or devices, which are written directly.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from dissensus.errors import DissensusError, OutputError

if TYPE_CHECKING:
    from dissensus.arrays import Values

# what the disk says, and what to do about it; other OSErrors raised while the file is open are not ours to explain
_DISK = {
    errno.ENOSPC: ("the disk is full", "Free some space or write to another disk."),
    errno.EDQUOT: ("the disk quota is used up", "Free some space or write to another disk."),
    errno.EFBIG: ("the file would be larger than is allowed here", "Raise the limit (ulimit -f) or write elsewhere."),
    errno.EROFS: ("the file system is read-only", "Write to another folder."),
    errno.EIO: ("the disk reports an input/output error", "Write to another disk."),
}
_PLACE = {
    errno.EACCES: ("no permission to write there", "Write to a folder of your own."),
    errno.EPERM: ("no permission to write there", "Write to a folder of your own."),
    errno.ENOENT: ("its folder does not exist", "Make the folder first (mkdir -p)."),
    errno.ENOTDIR: ("its folder is a file", "Choose another folder."),
    errno.EISDIR: ("it is a directory", "Give the name of a file."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter name."),
}


@contextlib.contextmanager
def atomic(path: str | os.PathLike[str], mode: str = "w", *, encoding: str | None = None) -> Iterator[IO[Any]]:
    """Open `path` for writing (`"w"`, `"wb"`); it appears, whole, when the block ends without an error.

    Text is UTF-8 with plain `\\n` on every system.
    """
    if mode not in ("w", "wt", "wb"):
        raise ValueError(f"atomic(mode={mode!r}): a whole file is written with 'w' or 'wb'.")
    text: Values = {} if "b" in mode else {"encoding": encoding or "utf-8", "newline": ""}
    with atomic_path(path) as temporary, open(temporary, mode, **text) as file:
        yield file


@contextlib.contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The same for libraries that insist on opening files themselves: they write to the path given out."""
    target = Path(os.path.realpath(path))  # a link keeps pointing where it points
    if _is_stream(target):
        with _in_our_voice(path, _DISK):
            yield target
        return
    temporary = target.with_name(f".{target.stem[:40]}-{secrets.token_hex(6)}.part{target.suffix}")
    with _in_our_voice(path, _DISK | _PLACE):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a directory")
        _create(temporary, like=target)
    try:
        with _in_our_voice(path, _DISK):
            yield temporary
        with _in_our_voice(path, _DISK | _PLACE):
            _force_to_disk(temporary)
            os.replace(temporary, target)
            _force_folder_to_disk(target.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _in_our_voice(path: str | os.PathLike[str], known: dict[int, tuple[str, str]]) -> Iterator[None]:
    try:
        yield
    except DissensusError:
        raise
    except Exception as error:
        number = _errno(error)
        if number not in known:
            raise
        why, way_out = known[number]
        raise OutputError(
            f"{os.fspath(path)} could not be written: {why}.", way_out, "Nothing half-written was left behind."
        ) from error


def _errno(error: Exception) -> int | None:
    """The system's error number; libraries written in Rust (Polars) have it in their words only."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno
    found = re.search(r"\(os error (\d+)\)", str(error))
    return int(found[1]) if found else None


def _is_stream(target: Path) -> bool:
    try:
        kind = target.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(kind) or stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)


def _create(temporary: Path, *, like: Path) -> None:
    """An empty file with the rights the target has, or with those a new file would get."""
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    if like.exists():
        if not os.access(like, os.W_OK):
            temporary.unlink()
            raise PermissionError(errno.EACCES, "the file is write-protected")
        os.chmod(temporary, stat.S_IMODE(like.stat().st_mode))


def _force_to_disk(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _force_folder_to_disk(folder: Path) -> None:
    """A rename is safe from power cuts only once its folder is on disk; systems without such a call are left alone."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
