"""From bytes to text, or an error with a line."""

from __future__ import annotations

import pytest
from refusals import refused

from dissensus.data.readers.text import decode, line_at
from dissensus.errors import FileError


def test_a_byte_order_mark_is_no_text() -> None:
    assert decode("\ufeffé\n".encode(), "f") == "é\n"


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ("é".encode("utf-16"), ("UTF-16",)),
        ("x".encode("utf-32"), ("UTF-32",)),
        (b"a\nb\xff\n", ("f:2", "UTF-8", "0xff")),
        ("ab".encode("utf-16-le") * 9, ()),
        (b"aaaaaaaa\r\nbb\x01", ("f:2", "0x01")),
        (b"aaaaaaaaaaaa\0", ("f:1", "NUL")),
        (b" \n ", ()),
    ],
)
def test_what_is_refused(data: bytes, values: tuple[object, ...]) -> None:
    with refused(FileError, "f", *values):
        decode(data, "f")


def test_lines_end_in_three_ways() -> None:
    data = b"a\nb\r\nc\rd"
    assert [line_at(data, data.index(c)) for c in (b"a", b"b", b"c", b"d")] == [1, 2, 3, 4]


def test_every_control_character_is_found_and_no_other_byte() -> None:
    for byte in range(128):
        data = b"ab" + bytes([byte]) + b"cdefgh"
        if byte < 32 and byte not in b"\t\n\x0b\x0c\r":
            with pytest.raises(FileError):
                decode(data, "f")
        else:
            assert decode(data, "f") == data.decode()
