"""Arrow files (.arrow, .feather, .ipc) into memory, looked at before they are read: do the sizes they state fit them?

Polars trusts the lengths in Arrow's headers as it does those of Parquet (see `parquet`), and a damaged one may ask for
more memory than there is, which no `except` can catch. So the footer and the header of every block are read here first
(`flatbuffer`), the buffers themselves are skipped: blocks must lie in the file, buffers in their block, and a buffer
must have the size that its type and number of rows imply, unpacked where it is packed.
"""

from __future__ import annotations

import io
import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError
from dissensus.io.contents import contents, refuse_bomb, unreadable
from dissensus.io.files import packing
from dissensus.io.flatbuffer import Table, root
from dissensus.io.parquet import Bytes, Damaged, damage_named

MAGIC = b"ARROW1"
_MOST_ROWS = 2**40
_SLACK = 4096  # bytes that a buffer may be longer than it must be: padding, capacity
_NULL, _INT, _FLOAT, _BOOL, _DECIMAL, _DATE, _TIME, _INTERVAL, _LIST, _STRUCT = 1, 2, 3, 6, 7, 8, 9, 11, 12, 13
_TIMESTAMP, _FIXED, _FIXED_LIST, _MAP, _DURATION, _LARGE_LIST = 10, 15, 16, 17, 18, 21
_OFFSETS = {4: 4, 5: 4, 19: 8, 20: 8}  # (large) binary and text: bytes of an offset
_VIEWS = (23, 24)
_GROWTH = {0: 255, 1: 32_768}  # LZ4 and zstd: bytes that one byte can unpack to at most
_BATCH, _DICTIONARY = 3, 2
_SHORTEST = 24
_STREAM = b"\xff\xff\xff\xff"


def read_arrow(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(the columns of an Arrow file, the number of each row from 1)"""
    if packing(path) or not path.is_file() or _is_packed(path):
        data = contents(path)
        _refuse_damage(path, data)
        source: Path | io.BytesIO = io.BytesIO(data)
    else:
        _refuse_damaged_file(path)
        source = path
    with damage_named(str(path)):
        frame = pl.read_ipc(source)
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return frame, np.arange(1, frame.height + 1)


def _is_packed(path: Path) -> bool:
    """Does the file begin otherwise than an Arrow file does? Then it is looked at as a whole."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) != MAGIC or file.seek(0, 2) < _SHORTEST
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damaged_file(path: Path) -> None:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            _refuse_damage(path, data)
    except OSError as error:
        raise unreadable(path, error) from error


def _refuse_damage(path: Path, data: Bytes) -> None:
    """Refuse what is not an Arrow file, or states sizes that cannot be right."""
    if data[0:6] != MAGIC:
        what, way = "it does not begin with ARROW1", "Name the file after its format."
        if data[0:4] == _STREAM:
            what, way = "it is a stream", "Write it as a file: Polars' write_ipc, or pyarrow's RecordBatchFileWriter."
        elif data[0:4] == b"FEA1":
            what, way = "it is of Feather's first version", "Write it again as version 2."
        raise FileError(f"{path} is not an Arrow file: {what}.", way)
    try:
        unpacked = check_blocks(data)
    except Damaged as damage:
        raise FileError(f"{path} is a damaged Arrow file: {damage}.", "Write it again.") from None
    refuse_bomb(path, unpacked, len(data))


@dataclass(frozen=True)
class Layout:
    """What a column consists of: bits a row of fixed width, bytes an offset, views; children; or a dictionary's places.

    `rows` is how many rows of a child there are for one of its parent, 0 where only the data can tell.
    """

    bits: int = 0
    offset: int = 0
    views: bool = False
    empty: bool = False  # a column of nothing has no buffers
    children: tuple[Layout, ...] = ()
    rows: int = 1
    ids: tuple[int, ...] = field(default=(), compare=False)  # dictionaries used


def check_blocks(data: Bytes) -> int:
    """Raise `Damaged` where a header states a size that cannot be right; else how many bytes its buffers unpack to."""
    size = len(data)
    if size < 24 or data[0:6] != MAGIC or data[size - 6 : size] != MAGIC:
        raise Damaged("it is cut off: it does not end with ARROW1")
    length = int.from_bytes(data[size - 10 : size - 6], "little", signed=True)
    if not 0 < length <= size - 18:
        raise Damaged("its footer is longer than the file")
    end = size - 10 - length
    footer = root(data[end : end + length])
    schema = footer.table(1)
    if schema is None:
        raise Damaged("its footer describes no columns")
    if schema.number(0, 2):
        raise Damaged("its numbers are big-endian")
    dictionaries: dict[int, Layout] = {}
    columns = tuple(_layout(f, dictionaries, 0) for f in schema.tables(1))
    unpacked = 0
    for header, body in _messages(data, footer, 2, _DICTIONARY, end):
        layout, batch = dictionaries.get(header.number(0, 8)), header.table(1)
        if layout is None or batch is None:
            raise Damaged("a dictionary belongs to no column")
        unpacked += _check_batch(data, body, batch, (layout,))
    for header, body in _messages(data, footer, 3, _BATCH, end):
        unpacked += _check_batch(data, body, header, columns)
    return unpacked


def _layout(column: Table, dictionaries: dict[int, Layout], depth: int) -> Layout:
    """The layout of a column from its description; its dictionary, if it has one, is added to the others."""
    if depth > 20:
        raise Damaged("its columns are nested too deeply")
    layout = _plain_layout(column, dictionaries, depth)
    coded = column.table(4)
    if coded is None:
        return layout
    dictionaries[coded.number(0, 8)] = layout
    index = coded.table(1)
    return Layout(bits=32 if index is None else _width(index.number(0, 4)))


def _plain_layout(column: Table, dictionaries: dict[int, Layout], depth: int) -> Layout:
    kind, about = column.number(2, 1), column.table(3)
    if about is None:
        raise Damaged("a column has no type")
    children = tuple(_layout(c, dictionaries, depth + 1) for c in column.tables(5))
    match kind:
        case _ if kind == _NULL:
            return Layout(empty=True)
        case _ if kind in _OFFSETS:
            return Layout(offset=_OFFSETS[kind])
        case _ if kind in _VIEWS:
            return Layout(views=True)
        case _ if kind in (_LIST, _MAP, _LARGE_LIST):
            return Layout(offset=8 if kind == _LARGE_LIST else 4, children=children, rows=0)
        case _ if kind == _FIXED_LIST:
            return Layout(children=children, rows=_count(about.number(0, 4)))
        case _ if kind == _STRUCT:
            return Layout(children=children)
    return Layout(bits=_bits(kind, about))


def _bits(kind: int, about: Table) -> int:
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
    raise Damaged("a column is of a type that is not known")


def _count(value: int) -> int:
    if not 0 <= value < _MOST_ROWS:
        raise Damaged("a header states an impossible number of rows")
    return value


def _messages(data: Bytes, footer: Table, which: int, kind: int, end: int) -> Iterator[tuple[Table, tuple[int, int]]]:
    """(the header of a block, where its body lies) of all blocks that the footer names."""
    for at, meta, size in footer.blocks(which):
        if at < 8 or meta < 16 or size < 0 or at + meta + size > end:
            raise Damaged("a block lies outside the file")
        start = data[at : at + 8]
        head = 8 if start[:4] == b"\xff\xff\xff\xff" else 4
        length = int.from_bytes(start[head - 4 : head], "little", signed=True)
        if not 8 <= length <= meta - head:
            raise Damaged("the header of a block is longer than it may be")
        message = root(data[at + head : at + head + length])
        inner = message.table(2)
        if message.number(1, 1) != kind or inner is None or message.number(3, 8) > size:
            raise Damaged("a block is not what the footer says")
        yield inner, (at + meta, size)


# ── a block ──────────────────────────────────────────────────────────────────────────────────────────────────────────
class _Buffers:
    """The nodes and buffers of a block, one after the other."""

    def __init__(self, data: Bytes, body: tuple[int, int], batch: Table) -> None:
        self.data, self.body = data, body
        self.nodes, self.spans = iter(batch.pairs(1)), iter(batch.pairs(2))
        self.variadic = iter(batch.numbers(4))
        packing = batch.table(3)
        self.packed = None if packing is None else packing.number(0, 1)
        self.unpacked = 0

    def take(self, what: Iterator[Any]) -> Any:
        found = next(what, None)
        if found is None:
            raise Damaged("a block has fewer columns than the file")
        return found

    def buffer(self, least: int, most: int | None = None, *, optional: bool = False) -> None:
        """The next buffer: `least` bytes at least, and not far above `most`, unpacked."""
        at, size = self.take(self.spans)
        if at < 0 or size < 0 or at + size > self.body[1]:
            raise Damaged("a buffer lies outside its block")
        if size and self.packed is not None:
            size = self._unpacked_size(self.body[0] + at, size, most)
        if size < least and not (optional and size == 0):
            raise Damaged(f"a buffer holds {size:,} bytes where {least:,} are needed")
        self.unpacked += size

    def _unpacked_size(self, at: int, size: int, most: int | None) -> int:
        if size < 8:
            raise Damaged("a packed buffer states no size")
        stated = int.from_bytes(self.data[at : at + 8], "little", signed=True)
        if stated == -1:  # not worth packing
            return size - 8
        possible = _GROWTH.get(self.packed or 0, 0) * size
        if not 0 <= stated <= possible or (most is not None and stated > most + _SLACK):
            raise Damaged("a packed buffer states an impossible size")
        return stated


def _check_batch(data: Bytes, body: tuple[int, int], batch: Table, columns: tuple[Layout, ...]) -> int:
    """Check the buffers of a block; how many bytes they unpack to."""
    rows = _count(batch.number(0, 8))
    buffers = _Buffers(data, body, batch)
    for column in columns:
        _check_column(buffers, column, rows)
    return buffers.unpacked


def _check_column(buffers: _Buffers, column: Layout, rows: int | None) -> None:
    """Check one column of `rows` rows; None where its parent does not say how many."""
    length, nulls = buffers.take(buffers.nodes)
    if rows is not None and length != rows:
        raise Damaged(f"a column has {length:,} rows, its block {rows:,}")
    if _count(length) < _count(nulls):
        raise Damaged("a column has more gaps than rows")
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
