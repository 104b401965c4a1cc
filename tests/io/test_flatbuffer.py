"""FlatBuffers: fields, lists and tables of headers, and numbers that lead out of them."""

from __future__ import annotations

import struct

import pytest
from refusals import refused

from dissensus.io.damage.arrow import Fields, root
from dissensus.io.damage.parquet import DamagedBytes

# a table at 16 whose vtable at 4 knows three fields: a byte, nothing, a list of two 64-bit numbers
HEADER = b"".join(
    [
        struct.pack("<I", 16),  # 0: where the table is
        struct.pack("<HHHHH", 10, 12, 8, 0, 4),  # 4: bytes of the vtable, of the table, places of its fields
        b"\0\0",
        struct.pack("<iI", 12, 12),  # 16: the vtable is 12 bytes before; 20: the list is 12 bytes behind this
        b"\x07\0\0\0",  # 24: the byte
        b"\0\0\0\0",
        struct.pack("<Iqq", 2, 5, -3),  # 32: the list
    ]
)


def test_fields_and_their_defaults() -> None:
    table = root(HEADER)
    assert (table.at, table.number(0, 1)) == (16, 7)
    assert (table.number(1, 4, 9), table.number(7, 4), table.table(1)) == (9, 0, None)
    assert table.numbers(2) == [5, -3]
    assert list(table.tables(1)) == table.numbers(1) == table.blocks(1) == list(table.pairs(1)) == []


def test_numbers_that_lead_out_of_a_header() -> None:
    with pytest.raises(DamagedBytes):
        root(b"\xff\xff\xff\x7f").number(0, 4)
    with pytest.raises(DamagedBytes):
        Fields(HEADER, -5).number(0, 1)
    with refused(DamagedBytes):
        root(HEADER).blocks(2)
    for cut in range(len(HEADER)):
        with pytest.raises(DamagedBytes):
            root(HEADER[:cut]).numbers(2)
