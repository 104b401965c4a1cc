"""A text file a block of whole lines at a time, unpacked on the way: its size in memory is that of a block.

    for block in blocks(path, start=0): …

A block ends where a line ends, and in a table where quotes are closed, too. `at` is the place in the unpacked text
behind it, from which reading can go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from dissensus.errors import FileError
from dissensus.io.contents import refuse_bomb, refuse_packed, unpacking, unreadable

SIZE = 48 << 20  # bytes of text: with its columns about half a gigabyte
_STEP = 1 << 22
_LONGEST = 1 << 30  # bytes without an end of a line


@dataclass(frozen=True)
class Block:
    """Some whole lines of a file: the number of the first, and where the text goes on behind the last."""

    data: bytes
    line: int
    at: int


def blocks(
    path: Path, start: int = 0, line: int = 1, *, quoted: bool = False, size: int | None = None
) -> Iterator[Block]:
    """The lines of a file from the byte `start` of its text on, whose number is `line`."""
    try:
        with open(path, "rb") as file:
            first = file.read(8)
            refuse_packed(path, first)
            packed = file.seek(0, 2)
            file.seek(0)
            with unpacking(file, first, path) as text:
                _skip(text, start, plain=text is file)
                yield from _blocks(text, path, packed, start, line, quoted, size or SIZE)
    except OSError as error:
        raise unreadable(path, error) from error


def _skip(text: IO[bytes], start: int, *, plain: bool) -> None:
    if plain:
        text.seek(start)
        return
    while start:
        got = len(text.read(min(start, _STEP)))
        if not got:
            return
        start -= got


def _blocks(
    text: IO[bytes], path: Path, packed: int, start: int, line: int, quoted: bool, whole: int
) -> Iterator[Block]:
    held: list[bytes] = []
    size, at = 0, start
    while True:
        step = text.read(min(_STEP, whole))
        if step:
            held.append(step)
            size += len(step)
            refuse_bomb(path, at + size, packed)
            if size < whole:
                continue
        data = b"".join(held)
        if step:
            end = _end(data, quoted)
            if not end:
                if size > _LONGEST:
                    raise FileError(
                        f"{path}:{line}: no line ends within {_LONGEST >> 20:,} MB.", "It is not a text of lines."
                    )
                continue
        else:
            end = len(data)
        if end:
            at += end
            yield Block(data[:end], line, at)
            line += data.count(b"\n", 0, end)
        if not step:
            return
        held = [data[end:]]
        size = len(held[0])


def _end(data: bytes, quoted: bool) -> int:
    """Where the last whole line ends: in a table not inside quotes."""
    end = data.rfind(b"\n") + 1
    quotes = data.count(b'"', 0, end) if quoted else 0
    while quotes % 2 and end:
        before = data.rfind(b"\n", 0, end - 1) + 1
        quotes -= data.count(b'"', before, end)
        end = before
    return end
