"""An append-only file of finished units, each with its checksum.

    header line   {"format": "dissensus units 1", "about": {…}}\\n
    then records  magic · unit number · payload length · checksum of these · payload · checksum of the payload

A unit is appended with one write; what a power cut leaves unfinished at the end is cut off on the next opening, and
a record that was damaged later (a bad disk, an editor) is skipped and its unit done again. Both are counted and said.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import time
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dissensus.errors import DataWarning, OutputError, WorkspaceError
from dissensus.work.atomic import atomic
from dissensus.work.encoding import decode, encode

FORMAT = "dissensus units 1"
MAGIC = b"\x89unit\r\n\x1a"  # cannot arise from text, and shows when a file was sent through a text filter
_HEAD = struct.Struct("<8sQQ")
_SUM = 16  # bytes of a checksum
FSYNC_EVERY = 1.0  # seconds: a killed process loses nothing, a power cut at most this much


class Record:
    """Finished units of one task. Open it, ask what is `done`, `append` what is new, `close`."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._about = dict(about)
        self._places: dict[int, tuple[int, int]] = {}  # unit → offset and length of its payload
        self._last_fsync = time.monotonic()
        if not path.exists():
            with atomic(path, "wb") as file:
                file.write(json.dumps({"format": FORMAT, "about": self._about}, ensure_ascii=False).encode() + b"\n")
        self._handle = os.open(path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            self._scan()
        except BaseException:
            os.close(self._handle)
            raise

    @property
    def done(self) -> frozenset[int]:
        """Numbers of the units that are finished."""
        return frozenset(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, unit: int) -> bool:
        return unit in self._places

    def read(self, unit: int) -> Any:
        """The result of a finished unit."""
        offset, length = self._places[unit]
        with open(self.path, "rb") as file:
            file.seek(offset)
            return decode(file.read(length))

    def append(self, unit: int, result: Any) -> None:
        """Record a finished unit; a unit that is there already is left as it is."""
        if unit in self._places:
            return
        payload = encode(result)
        frame = _frame(unit, payload)
        start = os.lseek(self._handle, 0, os.SEEK_END)
        try:
            _write_all(self._handle, frame)
            if time.monotonic() - self._last_fsync >= FSYNC_EVERY:
                self._fsync()
        except OSError as error:
            os.ftruncate(self._handle, start)  # half a record would only be cut off later
            raise OutputError(
                f"unit {unit} could not be recorded in {self.path}: {error.strerror}.",
                f"The {len(self._places):,} units before it are kept; make room and start again.",
            ) from error
        self._places[unit] = (start + _HEAD.size + _SUM, len(payload))

    def close(self) -> None:
        """Force everything to disk and close the file."""
        if self._handle >= 0:
            try:
                self._fsync()
            finally:
                os.close(self._handle)
                self._handle = -1

    def _fsync(self) -> None:
        os.fsync(self._handle)
        self._last_fsync = time.monotonic()

    def _scan(self) -> None:
        size = os.fstat(self._handle).st_size
        with open(self.path, "rb") as file:
            start = _check_header(file.readline(), self.path, self._about)
            damaged, end = 0, start
            for unit, offset, length in _whole_records(file, start, size):
                if offset - _HEAD.size - _SUM > end:
                    damaged += 1
                self._places.setdefault(unit, (offset, length))
                end = offset + length + _SUM
        if damaged:
            warnings.warn(
                f"{self.path}: {damaged} damaged stretch(es) between the records; the units they held are done again.",
                DataWarning,
                stacklevel=2,
            )
        if end < size:  # the unfinished end of a process that was stopped
            os.ftruncate(self._handle, end)


def _frame(unit: int, payload: bytes) -> bytes:
    head = _HEAD.pack(MAGIC, unit, len(payload))
    return b"".join((head, _checksum(head), payload, _checksum(head + payload)))


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_SUM).digest()


def _check_header(line: bytes, path: Path, about: dict[str, Any]) -> int:
    try:
        header = json.loads(line)
        known, written = header["format"] == FORMAT and line.endswith(b"\n"), header["about"]
    except (ValueError, KeyError, TypeError):
        known, written = False, None
    if not known:
        raise WorkspaceError(
            f"{path} is not a record of finished units, or its first line is damaged.",
            "Use another workspace, or remove this one to start afresh.",
        )
    wanted = json.loads(json.dumps(about))
    if written != wanted:
        lines = difference(written, wanted)
        raise WorkspaceError(
            f"{path} holds units of other work:", *lines, "Use another workspace for this work, or repeat the old one."
        )
    return len(line)


def difference(old: Mapping[str, Any], new: Mapping[str, Any], then: str = "in the workspace") -> list[str]:
    """One line per parameter that differs.

    >>> difference({"seed": 0, "measure": "AP"}, {"seed": 1, "measure": "AP"})
    ['seed: 0 in the workspace, 1 now']
    """
    absent = object()

    def shown(value: Any) -> str:
        text = "absent" if value is absent else json.dumps(value, ensure_ascii=False)
        return text if len(text) <= 80 else text[:77] + "…"

    keys = [*old, *(k for k in new if k not in old)]
    return [
        f"{k}: {shown(old.get(k, absent))} {then}, {shown(new.get(k, absent))} now"
        for k in keys
        if old.get(k, absent) != new.get(k, absent)
    ]


def _whole_records(file: Any, start: int, size: int) -> Iterator[tuple[int, int, int]]:
    """(unit, payload offset, payload length) of every record whose checksums hold; damage is stepped over."""
    at = start
    while at + _HEAD.size + _SUM <= size:
        found = _record_at(file, at, size)
        if found is None:
            at = _next_magic(file, at + 1, size)
            continue
        _, offset, length = found
        yield found
        at = offset + length + _SUM


def _record_at(file: Any, at: int, size: int) -> tuple[int, int, int] | None:
    file.seek(at)
    head, checksum = file.read(_HEAD.size), file.read(_SUM)
    magic, unit, length = _HEAD.unpack(head)
    if magic != MAGIC or checksum != _checksum(head):
        return None
    offset = at + _HEAD.size + _SUM
    if offset + length + _SUM > size:
        return None
    payload, checksum = file.read(length), file.read(_SUM)
    return (unit, offset, length) if checksum == _checksum(head + payload) else None


def _next_magic(file: Any, at: int, size: int) -> int:
    chunk = 1 << 20
    while at < size:
        file.seek(at)
        block = file.read(chunk + len(MAGIC) - 1)
        here = block.find(MAGIC)
        if here >= 0:
            return at + int(here)
        at += chunk
    return size


def _write_all(handle: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
