"""Ids without strings: document ids as bytes in a buffer, with a 64-bit hash to join on.

A ranking of a thousand documents is looked up in a pool of a few hundred; building a Python string for each retrieved
document would cost more than the whole evaluation. An `IdColumn` keeps, for every row, where its id lies in a text
buffer (copied out of a run file, or made from a frame) and builds strings only when asked.
Two ids are equal when their hashes are and their bytes are: the hash alone never decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError

LONGEST = 65_535  # lengths are kept in 16 bits


@dataclass(frozen=True, eq=False)
class IdColumn:
    """One id per row: `buffers[which]` holds its bytes at `start`, `length` bytes long.

    `which` is the index of the row's buffer, given per block of rows: rows `blocks[b]:blocks[b + 1]` lie in buffer b.
    """

    buffers: tuple[NDArray[np.uint8], ...]
    blocks: NDArray[np.int64]
    start: NDArray[np.int64] | NDArray[np.uint32]
    length: NDArray[np.uint16]
    hashed: NDArray[np.uint64] | None = None  # by row, where the scanner has made them on its way

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """A 64-bit hash of every id, made when it is first asked for."""
        if self.hashed is not None:
            return self.hashed
        from dissensus.data.scanner.hashing import hash_ids

        one = self.packed()
        keys: NDArray[np.uint64] = hash_ids(one.buffers[0], one.start.astype(np.int64, copy=False), one.length)
        keys.setflags(write=False)
        return keys

    def __len__(self) -> int:
        return len(self.start)

    def raw(self, row: int) -> bytes:
        """The id of one row as bytes."""
        buffer = self.buffers[int(np.searchsorted(self.blocks, row, side="right")) - 1]
        start = int(self.start[row])
        return buffer[start : start + int(self.length[row])].tobytes()

    def strings(self, rows: NDArray[np.integer] | None = None) -> list[str]:
        """The ids of `rows` (all without it) as strings."""
        if rows is None:
            start, length = self.start, self.length
            cuts = self.blocks
        else:
            rows = np.asarray(rows)
            start, length = self.start[rows], self.length[rows]
            cuts = np.searchsorted(rows, self.blocks) if _ascending(rows) else np.empty(0, np.int64)
        if not len(cuts):  # rows in any order: one by one
            return [self.raw(int(row)).decode("utf-8") for row in rows] if rows is not None else []
        out: list[str] = []
        for buffer, a, b in zip(self.buffers, cuts[:-1], cuts[1:], strict=True):
            out += _decoded(buffer, start[a:b].astype(np.int64), length[a:b])
        return out

    @classmethod
    def from_strings(cls, ids: Sequence[str]) -> IdColumn:
        """A column that holds `ids`, each encoded as UTF-8."""
        encoded = [i.encode("utf-8") for i in ids]
        length = np.fromiter(map(len, encoded), np.int64, len(encoded))
        if len(length) and length.max() > LONGEST:
            worst = ids[int(length.argmax())]
            raise InputError(f"the id {worst[:40]!r}… is {length.max():,} bytes long; ids have at most {LONGEST:,}.")
        start = np.zeros(len(encoded), np.int64)
        np.cumsum(length[:-1], out=start[1:])
        buffer = np.frombuffer(b"".join(encoded), np.uint8)
        return cls((buffer,), np.array([0, len(encoded)]), start, length.astype(np.uint16))

    @classmethod
    def from_series(cls, ids: pl.Series) -> IdColumn:
        """The same from a Polars column of texts, without a Python string for each."""
        length = ids.str.len_bytes().to_numpy().astype(np.int64)
        if not len(length) or length.max() > LONGEST:
            return cls.from_strings(ids.to_list())
        buffer = np.frombuffer(ids.str.join("").item().encode(), np.uint8)
        return cls((buffer,), np.array([0, len(length)]), np.cumsum(length) - length, length.astype(np.uint16))

    def packed(self) -> IdColumn:
        """The same ids in one buffer."""
        if len(self.buffers) == 1:
            return self
        before = np.r_[0, np.cumsum([len(b) for b in self.buffers])]
        shift = np.repeat(before[:-1], np.diff(self.blocks))
        return IdColumn(
            (np.concatenate(self.buffers),), np.array([0, len(self)]), self.start.astype(np.int64) + shift, self.length,
            self.hashed,
        )  # fmt: skip

    def pick(self, rows: NDArray[np.integer]) -> IdColumn:
        """The ids of `rows`, sharing the text where rows ascend or there is one buffer."""
        if len(self.buffers) == 1:
            blocks = np.array([0, len(rows)])
        elif _ascending(rows):
            blocks = np.searchsorted(rows, self.blocks).astype(np.int64)
        else:
            return self.packed().pick(rows)
        hashed = None if self.hashed is None else self.hashed[rows]
        return IdColumn(self.buffers, blocks, self.start[rows], self.length[rows], hashed)


def _ascending(rows: NDArray[np.integer]) -> bool:
    return bool((rows[1:] >= rows[:-1]).all())


def _decoded(buffer: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.uint16]) -> list[str]:
    """The ids at some places of one buffer; slices of one long text where that is cheaper than many short ones."""
    stop = start + length
    spans = zip(start.tolist(), stop.tolist(), strict=True)
    if len(start) * 64 < len(buffer):
        return [buffer[a:b].tobytes().decode("utf-8") for a, b in spans]
    whole = buffer.tobytes()
    if whole.isascii():
        text = whole.decode("ascii")
        return [text[a:b] for a, b in spans]
    return [whole[a:b].decode("utf-8") for a, b in spans]


def natural_order(names: Sequence[str]) -> list[int]:
    """Positions that sort names as people do: whole numbers by value, then the rest by their UTF-8 bytes.

    >>> natural_order(["10", "9", "a"])
    [1, 0, 2]
    """

    values = _numbers(names)
    if values is not None:
        return [int(i) for i in np.argsort(values, kind="stable")]

    def key(i: int) -> tuple[int, int, bytes]:
        name = names[i]
        number = name.isascii() and name.isdigit() and len(name) <= 18
        return (0, int(name), name.encode()) if number else (1, 0, name.encode("utf-8", "surrogatepass"))

    return sorted(range(len(names)), key=key)


def _numbers(names: Sequence[str]) -> NDArray[np.int64] | None:
    """The names as whole numbers, None where one is not a number or two are the same one (7 and 07)."""
    whole = "".join(names)
    if not (whole.isascii() and whole.isdigit()) or max(map(len, names)) > 18 or not all(names):
        return None
    values = np.fromiter(map(int, names), np.int64, len(names))
    return values if len(np.unique(values)) == len(values) else None
