"""FlatBuffers, the encoding of Arrow's headers, read with every step checked: no number may lead out of the header.

A table is a list of fields, found through a list of their places (the vtable); one that is not there has its default.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from dissensus.io.parquet import Damaged


@dataclass(frozen=True)
class Table:
    """The table at a place of a header."""

    data: bytes
    at: int

    def place(self, field: int) -> int:
        """Where a field lies, 0 where it is not there."""
        vtable = self.at - _read(self.data, self.at, 4, signed=True)
        size = _read(self.data, vtable, 2)
        if 4 + 2 * field + 2 > size:
            return 0
        offset = _read(self.data, vtable + 4 + 2 * field, 2)
        return self.at + offset if offset else 0

    def number(self, field: int, size: int, default: int = 0) -> int:
        """A number of `size` bytes."""
        at = self.place(field)
        return _read(self.data, at, size, signed=size > 1) if at else default

    def table(self, field: int) -> Table | None:
        """A table inside this one."""
        at = self.place(field)
        return Table(self.data, _follow(self.data, at)) if at else None

    def _vector(self, field: int, size: int) -> tuple[int, int]:
        """(where the elements of a list begin, how many there are); each has `size` bytes."""
        at = self.place(field)
        if not at:
            return 0, 0
        at = _follow(self.data, at)
        count = _read(self.data, at, 4)
        if at + 4 + count * size > len(self.data):
            raise Damaged("a list in a header is longer than the header")
        return at + 4, count

    def tables(self, field: int) -> Iterator[Table]:
        """The tables in a list."""
        at, count = self._vector(field, 4)
        return (Table(self.data, _follow(self.data, at + 4 * i)) for i in range(count))

    def numbers(self, field: int) -> list[int]:
        """The 64-bit numbers in a list."""
        at, count = self._vector(field, 8)
        return list(struct.unpack_from(f"<{count}q", self.data, at)) if count else []

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """The pairs of 64-bit numbers in a list."""
        at, count = self._vector(field, 16)
        values = struct.unpack_from(f"<{2 * count}q", self.data, at) if count else ()
        return zip(values[::2], values[1::2], strict=True)

    def blocks(self, field: int) -> list[tuple[int, int, int]]:
        """Arrow's blocks in a list: (offset, bytes of the header, bytes of the body)."""
        at, count = self._vector(field, 24)
        return [struct.unpack_from("<qi4xq", self.data, at + 24 * i) for i in range(count)]


def root(data: bytes) -> Table:
    """The table that a header is."""
    return Table(data, _follow(data, 0))


def _follow(data: bytes, at: int) -> int:
    return at + _read(data, at, 4)


def _read(data: bytes, at: int, size: int, *, signed: bool = False) -> int:
    if at < 0 or at + size > len(data):
        raise Damaged("a header points behind its end")
    return int.from_bytes(data[at : at + size], "little", signed=signed)
