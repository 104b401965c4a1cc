"""Headers of Parquet, read in Thrift's compact protocol: does the footer say the same as the pages, and do they fit?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

LIMIT = 2**31  # page sizes are 32-bit numbers
_DEPTH = 40


class Bytes(Protocol):
    """Bytes, or a file mapped into memory."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: slice, /) -> bytes: ...


class DamagedBytes(Exception):
    """What is wrong with the file, in words."""


class Thrift:
    """A reader of structures in Thrift's compact protocol: {number of the field: value}."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise DamagedBytes("a header ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value
            if shift > 63:
                raise DamagedBytes("a number in a header is too long")

    def integer(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> dict[int, object]:
        if depth > _DEPTH:
            raise DamagedBytes("a header is nested too deeply")
        out: dict[int, Any] = {}
        field = 0
        while True:
            head = self.byte()
            if head == 0:
                return out
            field = field + (head >> 4) if head >> 4 else self.integer()
            out[field] = self.value(head & 0x0F, depth)

    def value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, 5, 6):
            return self.integer()
        if kind == 7:
            self.skip(8)
            return None
        if kind == 8:
            return self.skip(self.varint())
        if kind in (9, 10):
            head = self.byte()
            size, inner = head >> 4, head & 0x0F
            if size == 15:
                size = self.varint()
            if size > len(self.data):
                raise DamagedBytes("a list in a header is longer than the file")
            # in lists true and false take a byte each
            return [self.byte() if inner in (1, 2) else self.value(inner, depth + 1) for _ in range(size)]
        if kind == 11:
            raise DamagedBytes("a header holds a map")
        if kind == 12:
            return self.struct(depth + 1)
        raise DamagedBytes(f"a header holds a field of unknown type {kind}")

    def skip(self, size: int) -> bytes:
        if size > len(self.data) - self.at:
            raise DamagedBytes("a text in a header is longer than the header")
        self.at += size
        return self.data[self.at - size : self.at]


def check_pages(data: Bytes) -> None:
    """Raise `DamagedBytes` where the footer or a page header states a size that cannot be right."""
    if len(data) < 12 or data[len(data) - 4 : len(data)] != b"PAR1":
        raise DamagedBytes("it is cut off: it does not end with PAR1")
    size = int.from_bytes(data[len(data) - 8 : len(data) - 4], "little")
    if size > len(data) - 12:
        raise DamagedBytes("its footer is longer than the file")
    end = len(data) - 8 - size
    footer = Thrift(data[end : len(data) - 8]).struct()
    rows, groups = footer.get(3), footer.get(4)
    if not isinstance(rows, int) or rows < 0 or not isinstance(groups, list):
        raise DamagedBytes("its footer states no number of rows")
    counted = 0
    for group in groups:
        count, columns = (group.get(3), group.get(1)) if isinstance(group, dict) else (None, None)
        if not isinstance(count, int) or count < 0 or not isinstance(columns, list):
            raise DamagedBytes("a row group states no number of rows")
        counted += count
        for chunk in columns:
            _check_chunk(data, end, chunk, count)
    if counted != rows:
        raise DamagedBytes(f"its row groups hold {counted:,} rows, its footer states {rows:,}")


def _check_chunk(data: Bytes, end: int, chunk: Any, rows: int) -> None:
    meta = chunk.get(3) if isinstance(chunk, dict) else None
    if not isinstance(meta, dict) or chunk.get(1):
        raise DamagedBytes("a column has no description, or is kept in another file")
    values, length, first = (_size(meta.get(i), "a column states no size") for i in (5, 7, 9))
    dictionary = meta.get(11)
    start = min(first, dictionary) if isinstance(dictionary, int) and dictionary > 0 else first
    if start < 4 or start + length > end:
        raise DamagedBytes("a column lies outside the file")
    if values < rows:
        raise DamagedBytes(f"a column states {values:,} values for {rows:,} rows")
    found = 0
    for header in _headers(data, start, start + length):
        found += _check_header(header)
    if found != values:
        raise DamagedBytes(f"the pages of a column hold {found:,} values, the footer states {values:,}")


def _headers(data: Bytes, at: int, stop: int) -> Iterator[dict[int, object]]:
    """The headers of a column's pages; the pages themselves are skipped."""
    while at < stop:
        reader = Thrift(data[at : min(at + 65_536, stop)])
        header = reader.struct()
        size = header.get(3)
        if not isinstance(size, int) or not 0 <= size < LIMIT or at + reader.at + size > stop:
            raise DamagedBytes("a page reaches beyond its column")
        yield header
        at += reader.at + size


def _check_header(header: dict[int, object]) -> int:
    """The number of values of a data page, 0 for a dictionary."""
    kind = header.get(1)
    unpacked, packed = (_size(header.get(i), "a page states an impossible size") for i in (2, 3))
    inner = header.get({0: 5, 2: 7, 3: 8}.get(kind if isinstance(kind, int) else -1, 0))
    if not isinstance(inner, dict) or unpacked >= LIMIT:
        raise DamagedBytes("a page is of an unknown kind, or too large")
    values = _size(inner.get(1), "a page states an impossible number of values")
    if kind == 2:
        if values > max(unpacked, 1):
            raise DamagedBytes("a dictionary states more values than it has bytes")
        return 0
    if kind == 3:
        nulls, *levels = (_size(inner.get(i), "a page states impossible lengths") for i in (2, 5, 6))
        if nulls > values or sum(levels) > packed:
            raise DamagedBytes("a page states impossible lengths")
    return values


def _size(value: object, otherwise: str) -> int:
    if not isinstance(value, int) or value < 0:
        raise DamagedBytes(otherwise)
    return value
