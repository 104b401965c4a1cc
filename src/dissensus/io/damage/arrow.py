"""Headers of Arrow, written as FlatBuffers: do blocks lie in the file, and have buffers the size of their rows?"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from dissensus.io.damage.parquet import Bytes, DamagedBytes

MAGIC = b"ARROW1"
_MOST_ROWS = 2**40
_SLACK = 4096  # bytes that a buffer may be longer than it must be: padding, capacity
_NULL, _INT, _FLOAT, _BOOL, _DECIMAL, _DATE, _TIME, _INTERVAL, _LIST, _STRUCT = 1, 2, 3, 6, 7, 8, 9, 11, 12, 13
_TIMESTAMP, _FIXED, _FIXED_LIST, _MAP, _DURATION, _LARGE_LIST = 10, 15, 16, 17, 18, 21
_OFFSETS = {4: 4, 5: 4, 19: 8, 20: 8}  # (large) binary and text: bytes of an offset
_VIEWS = (23, 24)
_GROWTH = {0: 255, 1: 32_768}  # LZ4 and zstd: bytes that one byte can unpack to at most
_BATCH, _DICTIONARY = 3, 2


# ── FlatBuffers ──
@dataclass(frozen=True)
class Fields:
    """A table of FlatBuffers, at a place of a header.

    Its fields are found through a list of their places (the vtable). One that is not there has its default. No number
    may lead out of the header.
    """

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

    def table(self, field: int) -> Fields | None:
        """A table inside this one."""
        at = self.place(field)
        return Fields(self.data, _follow(self.data, at)) if at else None

    def _vector(self, field: int, size: int) -> tuple[int, int]:
        """(where the elements of a list begin, how many there are); each has `size` bytes."""
        at = self.place(field)
        if not at:
            return 0, 0
        at = _follow(self.data, at)
        count = _read(self.data, at, 4)
        if at + 4 + count * size > len(self.data):
            raise DamagedBytes("a list in a header is longer than the header")
        return at + 4, count

    def tables(self, field: int) -> Iterator[Fields]:
        """The tables in a list."""
        at, count = self._vector(field, 4)
        return (Fields(self.data, _follow(self.data, at + 4 * i)) for i in range(count))

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


def root(data: bytes) -> Fields:
    """The table that a header is."""
    return Fields(data, _follow(data, 0))


def _follow(data: bytes, at: int) -> int:
    return at + _read(data, at, 4)


def _read(data: bytes, at: int, size: int, *, signed: bool = False) -> int:
    if at < 0 or at + size > len(data):
        raise DamagedBytes("a header points behind its end")
    return int.from_bytes(data[at : at + size], "little", signed=signed)


# ── blocks ──
@dataclass(frozen=True)
class ColumnShape:
    """What a column consists of: bits a row of fixed width, bytes an offset, views; children; or a dictionary's places.

    `rows` is how many rows of a child there are for one of its parent, 0 where only the data can tell.
    """

    bits: int = 0
    offset: int = 0
    views: bool = False
    empty: bool = False  # a column of nothing has no buffers
    children: tuple[ColumnShape, ...] = ()
    rows: int = 1
    ids: tuple[int, ...] = field(default=(), compare=False)  # dictionaries used


def check_blocks(data: Bytes) -> int:
    """How many bytes its buffers unpack to. `DamagedBytes` where a header states a size that cannot be right."""
    size = len(data)
    if size < 24 or data[0:6] != MAGIC or data[size - 6 : size] != MAGIC:
        raise DamagedBytes("it is cut off: it does not end with ARROW1")
    length = int.from_bytes(data[size - 10 : size - 6], "little", signed=True)
    if not 0 < length <= size - 18:
        raise DamagedBytes("its footer is longer than the file")
    end = size - 10 - length
    footer = root(data[end : end + length])
    schema = footer.table(1)
    if schema is None:
        raise DamagedBytes("its footer describes no columns")
    if schema.number(0, 2):
        raise DamagedBytes("its numbers are big-endian")
    dictionaries: dict[int, ColumnShape] = {}
    columns = tuple(_layout(f, dictionaries, 0) for f in schema.tables(1))
    unpacked = 0
    for header, body in _messages(data, footer, 2, _DICTIONARY, end):
        layout, batch = dictionaries.get(header.number(0, 8)), header.table(1)
        if layout is None or batch is None:
            raise DamagedBytes("a dictionary belongs to no column")
        unpacked += _check_batch(data, body, batch, (layout,))
    for header, body in _messages(data, footer, 3, _BATCH, end):
        unpacked += _check_batch(data, body, header, columns)
    return unpacked


def _layout(column: Fields, dictionaries: dict[int, ColumnShape], depth: int) -> ColumnShape:
    """The layout of a column from its description; its dictionary, if it has one, is added to the others."""
    if depth > 20:
        raise DamagedBytes("its columns are nested too deeply")
    layout = _plain_layout(column, dictionaries, depth)
    coded = column.table(4)
    if coded is None:
        return layout
    dictionaries[coded.number(0, 8)] = layout
    index = coded.table(1)
    return ColumnShape(bits=32 if index is None else _width(index.number(0, 4)))


def _plain_layout(column: Fields, dictionaries: dict[int, ColumnShape], depth: int) -> ColumnShape:
    kind, about = column.number(2, 1), column.table(3)
    if about is None:
        raise DamagedBytes("a column has no type")
    children = tuple(_layout(c, dictionaries, depth + 1) for c in column.tables(5))
    match kind:
        case _ if kind == _NULL:
            return ColumnShape(empty=True)
        case _ if kind in _OFFSETS:
            return ColumnShape(offset=_OFFSETS[kind])
        case _ if kind in _VIEWS:
            return ColumnShape(views=True)
        case _ if kind in (_LIST, _MAP, _LARGE_LIST):
            return ColumnShape(offset=8 if kind == _LARGE_LIST else 4, children=children, rows=0)
        case _ if kind == _FIXED_LIST:
            return ColumnShape(children=children, rows=_count(about.number(0, 4)))
        case _ if kind == _STRUCT:
            return ColumnShape(children=children)
    return ColumnShape(bits=_bits(kind, about))


def _bits(kind: int, about: Fields) -> int:
    """How many bits a value of a type of fixed width has."""
    match kind:
        case _ if kind == _INT:
            return _width(about.number(0, 4))
        case _ if kind == _FLOAT:
            return {0: 16, 1: 32, 2: 64}.get(about.number(0, 2), 0) or _unknown()
        case _ if kind == _BOOL:
            return 1
        case _ if kind == _DECIMAL:
            return _width(about.number(2, 4, 128))
        case _ if kind == _DATE:
            return 64 if about.number(0, 2, 1) else 32
        case _ if kind == _TIME:
            return _width(about.number(1, 4, 32))
        case _ if kind in (_TIMESTAMP, _DURATION):
            return 64
        case _ if kind == _INTERVAL:
            return {0: 32, 1: 64, 2: 128}.get(about.number(0, 2), 0) or _unknown()
        case _ if kind == _FIXED:
            return 8 * _count(about.number(0, 4))
    return _unknown()


def _width(bits: int) -> int:
    return bits if bits in (8, 16, 32, 64, 128, 256) else _unknown()


def _unknown() -> int:
    raise DamagedBytes("a column is of a type that is not known")


def _count(value: int) -> int:
    if not 0 <= value < _MOST_ROWS:
        raise DamagedBytes("a header states an impossible number of rows")
    return value


def _messages(data: Bytes, footer: Fields, which: int, kind: int, end: int) -> Iterator[tuple[Fields, tuple[int, int]]]:
    """(the header of a block, where its body lies) of all blocks that the footer names."""
    for at, meta, size in footer.blocks(which):
        if at < 8 or meta < 16 or size < 0 or at + meta + size > end:
            raise DamagedBytes("a block lies outside the file")
        start = data[at : at + 8]
        head = 8 if start[:4] == b"\xff\xff\xff\xff" else 4
        length = int.from_bytes(start[head - 4 : head], "little", signed=True)
        if not 8 <= length <= meta - head:
            raise DamagedBytes("the header of a block is longer than it may be")
        message = root(data[at + head : at + head + length])
        inner = message.table(2)
        if message.number(1, 1) != kind or inner is None or message.number(3, 8) > size:
            raise DamagedBytes("a block is not what the footer says")
        yield inner, (at + meta, size)


class _Buffers:
    """The nodes and buffers of a block, one after the other."""

    def __init__(self, data: Bytes, body: tuple[int, int], batch: Fields) -> None:
        self.data, self.body = data, body
        self.nodes, self.spans = iter(batch.pairs(1)), iter(batch.pairs(2))
        self.variadic = iter(batch.numbers(4))
        packing = batch.table(3)
        self.packed = None if packing is None else packing.number(0, 1)
        self.unpacked = 0

    def take(self, what: Iterator[object]) -> Any:
        found = next(what, None)
        if found is None:
            raise DamagedBytes("a block has fewer columns than the file")
        return found

    def buffer(self, least: int, most: int | None = None, *, optional: bool = False) -> None:
        """The next buffer: `least` bytes at least, and not far above `most`, unpacked."""
        at, size = self.take(self.spans)
        if at < 0 or size < 0 or at + size > self.body[1]:
            raise DamagedBytes("a buffer lies outside its block")
        if size and self.packed is not None:
            size = self._unpacked_size(self.body[0] + at, size, most)
        if size < least and not (optional and size == 0):
            raise DamagedBytes(f"a buffer holds {size:,} bytes where {least:,} are needed")
        self.unpacked += size

    def _unpacked_size(self, at: int, size: int, most: int | None) -> int:
        if size < 8:
            raise DamagedBytes("a packed buffer states no size")
        stated = int.from_bytes(self.data[at : at + 8], "little", signed=True)
        if stated == -1:  # not worth packing
            return size - 8
        possible = _GROWTH.get(self.packed or 0, 0) * size
        if not 0 <= stated <= possible or (most is not None and stated > most + _SLACK):
            raise DamagedBytes("a packed buffer states an impossible size")
        return stated


def _check_batch(data: Bytes, body: tuple[int, int], batch: Fields, columns: tuple[ColumnShape, ...]) -> int:
    """Check the buffers of a block; how many bytes they unpack to."""
    rows = _count(batch.number(0, 8))
    buffers = _Buffers(data, body, batch)
    for column in columns:
        _check_column(buffers, column, rows)
    return buffers.unpacked


def _check_column(buffers: _Buffers, column: ColumnShape, rows: int | None) -> None:
    """Check one column of `rows` rows; None where its parent does not say how many."""
    length, nulls = buffers.take(buffers.nodes)
    if rows is not None and length != rows:
        raise DamagedBytes(f"a column has {length:,} rows, its block {rows:,}")
    if _count(length) < _count(nulls):
        raise DamagedBytes("a column has more gaps than rows")
    bits = -(-length // 8)
    buffers.unpacked += bits  # which rows are there: kept even where the file leaves it out
    if column.empty:
        return
    buffers.buffer(bits, 2 * bits, optional=nulls == 0)
    if column.offset:
        most = (length + 1) * column.offset
        buffers.buffer(most, 2 * most, optional=length == 0)
        if not column.children:
            buffers.buffer(0)
    elif column.views:
        buffers.buffer(16 * length, 32 * length)
        for _ in range(_count(buffers.take(buffers.variadic))):
            buffers.buffer(0)
    elif column.bits:
        least = -(-length * column.bits // 8)
        buffers.buffer(least, 2 * least)
    for child in column.children:
        _check_column(buffers, child, length * column.rows if column.rows else None)
