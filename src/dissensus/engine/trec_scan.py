"""TREC files through the scanner, piece by piece: `scan_trec` returns the columns of one file, or None.

None means: the scanner did not like a line, and `trec.py` must look at the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array
from dissensus.engine.trec_kernel import (
    COMMENTS,
    DISORDER,
    EXACT,
    NAMES,
    ODD,
    QRELS,
    ROW,
    RUN,
    SIZE,
    SPARE,
    STATUS,
    TEXT,
    TOPICS,
    scan,
)
from dissensus.io.contents import refuse_bomb, refuse_packed, unpacking, unreadable
from dissensus.tables.ids import first_unseen

PIECE = 1 << 19  # bytes: fits into the second cache together with what is written
LONGEST_LINE = 1 << 20  # bytes: three ids and two numbers need no more, and the search for an end takes time
SHORTEST = 8  # bytes of the shortest line: "a b c d\n"


@dataclass
class Scanned:
    """The columns of one file: row i is document `ids[start[i] : start[i] + length[i]]` with its key and value.

    Rows from `topic_row[k]` on belong to topic `topics[k]`, until the next; likewise names (tags, or second columns).
    """

    key: NDArray[np.uint64]
    value: NDArray[np.float64]
    start: Array
    length: NDArray[np.uint16]
    ids: NDArray[np.uint8]
    topics: list[str]
    topic_row: NDArray[np.int64]
    names: list[str]
    name_row: NDArray[np.int64]
    disorder: int  # places where a better rank has the lower score
    comments: int


def scan_trec(path: Path, form: Literal["run", "qrels"]) -> Scanned | None:
    """All rows of a TREC file, or None where the slow reader must look at it."""
    kind = RUN if form == "run" else QRELS
    try:
        with open(path, "rb", buffering=0) as file:
            size = file.seek(0, 2)
            file.seek(0)
            start = file.read(8)
            refuse_packed(path, start)
            file.seek(0)
            with unpacking(file, start, path) as inner:
                if inner is file:
                    return _scan(file.readinto, size, kind)
                return _scan(_within_limits(inner.readinto, path, size), 5 * size, kind)  # type: ignore[attr-defined]
    except OSError as error:
        raise unreadable(path, error) from error


def _within_limits(read_into: Callable[[Any], int | None], path: Path, packed: int) -> Callable[[Any], int | None]:
    """The same reading, until a packed file grows beyond what text can be packed to."""
    size = 0

    def read(target: object) -> int | None:
        nonlocal size
        got = read_into(target)
        size += got or 0
        refuse_bomb(path, size, packed)
        return got

    return read


def _scan(read_into: Callable[[Any], int | None], size: int, kind: int) -> Scanned | None:
    columns = _Columns(size)
    piece = np.empty(PIECE + SPARE, np.uint8)
    held, first, over = 0, True, False
    while not over:
        got = read_into(memoryview(piece.data)[held : len(piece) - SPARE])
        over = not got
        held += got or 0
        if over and held and piece[held - 1] != 10:
            piece[held] = 10  # the last line may lack its end; there is room in the spare bytes
            held += 1
        piece[held : held + SPARE - 1] = 10
        stop = held if over else _last_line_end(piece, held)
        if stop == 0 and not over:
            if held > LONGEST_LINE:
                return None
            if held == len(piece) - SPARE:  # a line longer than the piece
                piece = np.concatenate([piece, np.empty_like(piece)])
            continue
        at = 3 if first and piece[:3].tobytes() == b"\xef\xbb\xbf" else 0
        first = False
        if not _is_plain(piece[at:stop]):
            return None
        columns.make_room(stop)
        columns.scan(piece, at, stop, kind)
        if columns.state[STATUS] == ODD or not columns.read_exactly(piece):
            return None
        piece[: held - stop] = piece[stop:held].copy()
        held -= stop
    return columns.finish()


def _last_line_end(piece: NDArray[np.uint8], held: int) -> int:
    for size in (1 << 12, held):
        found = piece[max(0, held - size) : held].tobytes().rfind(b"\n")
        if found >= 0:
            return max(0, held - size) + found + 1
    return 0


def _is_plain(text: NDArray[np.uint8]) -> bool:
    """Is this UTF-8 without characters that nobody sees?"""
    if not len(text) or text.max() < 128:
        return True
    try:
        text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    return first_unseen(text) is None


class _Columns:
    """The growing columns of a file; memory that is reserved but not written costs nothing."""

    def __init__(self, size: int) -> None:
        wide = np.int64 if size >= 2**32 else np.uint32
        rows = size // 30 + PIECE // SHORTEST + 1024  # `make_room` asks for a whole piece of the shortest lines
        self.state = np.zeros(SIZE, np.int64)
        self.key = np.empty(rows, np.uint64)
        self.value = np.empty(rows)
        self.start = np.empty(rows, wide)
        self.length = np.empty(rows, np.uint16)
        self.ids = np.empty(size // 2 + PIECE + 1024, np.uint8)
        self.topic_row, self.topic_start = np.empty(1024, np.int64), np.zeros(1025, np.int64)
        self.name_row, self.name_start = np.empty(1024, np.int64), np.zeros(1025, np.int64)
        self.topic_text, self.name_text = np.empty(1024, np.uint8), np.empty(1024, np.uint8)
        self.tail = np.empty(256, np.uint8)
        self.exact = np.empty((1024, 3), np.int64)

    def make_room(self, size: int) -> None:
        """Room for all that `size` more bytes of text can bring."""
        lines = size // SHORTEST + 2
        rows = int(self.state[ROW]) + lines
        for name in ("key", "value", "start", "length"):
            setattr(self, name, _grown(getattr(self, name), rows, int(self.state[ROW])))
        self.ids = _grown(self.ids, int(self.state[TEXT]) + size + SPARE, int(self.state[TEXT]))
        if self.start.dtype == np.uint32 and self.state[TEXT] + size >= 2**32:
            self.start = self.start.astype(np.int64)
        for kind, count in (("topic", int(self.state[TOPICS])), ("name", int(self.state[NAMES]))):
            rows_, starts, text = (getattr(self, f"{kind}_{what}") for what in ("row", "start", "text"))
            setattr(self, f"{kind}_row", _grown(rows_, count + lines, count))
            setattr(self, f"{kind}_start", _grown(starts, count + lines + 1, count + 1))
            setattr(self, f"{kind}_text", _grown(text, int(starts[count]) + size + SPARE, int(starts[count])))
        self.exact = _grown(self.exact, lines, 0)

    def scan(self, piece: NDArray[np.uint8], at: int, stop: int, kind: int) -> None:
        scan(
            piece, at, stop, kind, self.state, self.key, self.value, self.start, self.length, self.ids,
            self.topic_row, self.topic_start, self.topic_text, self.name_row, self.name_start, self.name_text,
            self.tail, self.exact,
        )  # fmt: skip

    def read_exactly(self, piece: NDArray[np.uint8]) -> bool:
        """Read the numbers that the kernel left to Python; False if one is not finite."""
        for row, begin, end in self.exact[: int(self.state[EXACT])].tolist():
            value = float(piece[begin:end].tobytes())
            if not np.isfinite(value):
                return False
            self.value[row] = value + 0.0
        return True

    def finish(self) -> Scanned | None:
        rows = int(self.state[ROW])
        if not rows:
            return None
        topics, names = int(self.state[TOPICS]), int(self.state[NAMES])
        return Scanned(
            key=self.key[:rows],
            value=self.value[:rows],
            start=self.start[:rows],
            length=self.length[:rows],
            ids=self.ids[: int(self.state[TEXT])],
            topics=_texts(self.topic_text, self.topic_start[: topics + 1]),
            topic_row=self.topic_row[:topics],
            names=_texts(self.name_text, self.name_start[: names + 1]),
            name_row=self.name_row[:names],
            disorder=int(self.state[DISORDER]),
            comments=int(self.state[COMMENTS]),
        )


def _grown(column: Array, needed: int, used: int) -> Array:
    if needed <= len(column):
        return column
    fresh = np.empty((max(needed, len(column) * 3 // 2), *column.shape[1:]), column.dtype)
    fresh[:used] = column[:used]
    return fresh


def _texts(text: NDArray[np.uint8], bounds: NDArray[np.int64]) -> list[str]:
    whole = text[: int(bounds[-1])].tobytes()
    ends = bounds.tolist()
    return [whole[a:b].decode("utf-8") for a, b in pairwise(ends)]
