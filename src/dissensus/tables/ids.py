"""Ids without strings: document ids as bytes in a buffer, with a 64-bit hash to join on.

A ranking of a thousand documents is looked up in a pool of a few hundred; building a Python string for each retrieved
document would cost more than the whole evaluation. An `IdColumn` keeps, for every row, where its id lies in a text
buffer (copied out of a run file, or made from a frame) and builds strings only when asked.
Two ids are equal when their hashes are and their bytes are: the hash alone never decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Array
from dissensus.errors import InputError

LONGEST = 65_535  # lengths are kept in 16 bits
# what nobody sees in a name: marks of byte order, of lines and directions, soft hyphens, joints without width
_UNSEEN = "\x80-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
UNSEEN = re.compile(f"[{_UNSEEN}]")
HIDDEN = re.compile(f"[\x00-\x1f{_UNSEEN}]")
_UNSEEN_BYTES = re.compile(
    rb"\xc2[\x80-\x9f\xad]|\xd8\x9c|\xe2\x80[\x8b\x8e\x8f\xa8-\xae]|\xe2\x81[\xa0\xa6-\xa9]|\xef\xbb\xbf"
)
_BLOCK = 1 << 20  # bytes that stay in the processor's cache


def first_unseen(text: NDArray[np.uint8]) -> int | None:
    """The byte of a UTF-8 text where a character begins that nobody sees; plain ASCII takes the time of reading it.

    >>> first_unseen(np.frombuffer("301 302".encode(), np.uint8)) is None
    True
    >>> first_unseen(np.frombuffer("301 \\ufeff302".encode(), np.uint8))
    4
    """
    blocks = (text[start : start + _BLOCK] for start in range(0, len(text), _BLOCK))
    found = _UNSEEN_BYTES.search(text.data) if any(block.max() > 0x7F for block in blocks) else None
    return None if found is None else found.start()


def refuse_hidden(name: str, role: str, where: str) -> str:
    """The name itself; one with a control character, or a character that nobody sees, is an error.

    Two files that were put together hold a byte order mark in the middle: the topic behind it is another topic.
    """
    found = HIDDEN.search(name)
    if found is None:
        return name
    shown = name if len(name) <= 60 else f"{name[:60]}…"
    if found[0] < " ":
        raise InputError(f"{where}: the {role} {shown!r} holds a control character.", AN_ID)
    mark = f"U+{ord(found[0]):04X}" + (", a byte order mark" if found[0] == "\ufeff" else "")
    raise InputError(
        f"{where}: the {role} {shown!r} holds a character that nobody sees ({mark}).",
        "It would make a name of its own: take the character out of the file.",
    )


AN_ID = "An id is a short text like FT911-7."


@dataclass(frozen=True, eq=False)
class IdText:
    """Ids in one text: that of row i is `text[start[i] : start[i] + length[i]]`."""

    text: NDArray[np.uint8]
    start: Array  # 32 bits wide, or 64 where there is more text
    length: NDArray[np.uint16]
    hashed: NDArray[np.uint64] | None = None  # by row, where the scanner has made them on its way

    @cached_property
    def key(self) -> NDArray[np.uint64]:
        """A 64-bit hash of every id, made when it is first asked for."""
        if self.hashed is not None:
            return self.hashed
        from dissensus.engine.hashing import hash_ids

        key: NDArray[np.uint64] = hash_ids(self.text, self.start.astype(np.int64, copy=False), self.length)
        key.setflags(write=False)
        return key

    def __len__(self) -> int:
        return len(self.start)

    def pick(self, rows: NDArray[np.integer]) -> IdText:
        """The ids of `rows`, in the same text."""
        return IdText(
            self.text, self.start[rows], self.length[rows], None if self.hashed is None else self.hashed[rows]
        )

    def strings(self) -> list[str]:
        """The ids as strings: slices of one long text where that is cheaper than many short ones."""
        start = self.start.astype(np.int64)
        spans = zip(start.tolist(), (start + self.length).tolist(), strict=True)
        if len(start) * 64 < len(self.text):
            return [self.text[a:b].tobytes().decode("utf-8") for a, b in spans]
        whole = self.text.tobytes()
        if whole.isascii():
            text = whole.decode("ascii")
            return [text[a:b] for a, b in spans]
        return [whole[a:b].decode("utf-8") for a, b in spans]


@dataclass(frozen=True, eq=False)
class IdColumn:
    """One id per row, in blocks of rows that follow each other: those of texts[0], then those of texts[1], and so on.

    The rows of a file are usually a block, so that many files become one column without being copied.
    """

    texts: tuple[IdText, ...]

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """The rows of block b are `bounds[b]:bounds[b + 1]`."""
        return np.cumsum([0, *map(len, self.texts)], dtype=np.int64)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """A 64-bit hash of every id, made when it is first asked for."""
        return self.texts[0].key if len(self.texts) == 1 else np.concatenate([text.key for text in self.texts])

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def strings(self, rows: NDArray[np.integer] | None = None) -> list[str]:
        """The ids of `rows` (all without it) as strings."""
        column = self if rows is None else self.pick(np.asarray(rows))
        return [name for text in column.texts for name in text.strings()]

    @classmethod
    def from_strings(cls, ids: Sequence[str]) -> IdColumn:
        """A column that holds `ids`, each encoded as UTF-8."""
        encoded = [i.encode("utf-8") for i in ids]
        length = np.fromiter(map(len, encoded), np.int64, len(encoded))
        if len(length) and length.max() > LONGEST:
            worst = ids[int(length.argmax())]
            raise InputError(f"the id {worst[:40]!r}… is {length.max():,} bytes long; ids have at most {LONGEST:,}.")
        text = np.frombuffer(b"".join(encoded), np.uint8)
        return cls((IdText(text, np.cumsum(length) - length, length.astype(np.uint16)),))

    @classmethod
    def from_series(cls, ids: pl.Series) -> IdColumn:
        """The same from a Polars column of texts, without a Python string for each."""
        length = ids.str.len_bytes().to_numpy().astype(np.int64)
        if not len(length) or length.max() > LONGEST:
            return cls.from_strings(ids.to_list())
        text = np.frombuffer(ids.str.join("").item().encode(), np.uint8)
        return cls((IdText(text, np.cumsum(length) - length, length.astype(np.uint16)),))

    def packed(self) -> IdText:
        """The same ids in one text."""
        if len(self.texts) == 1:
            return self.texts[0]
        before = np.cumsum([0, *(len(t.text) for t in self.texts)])
        hashed = [t.hashed for t in self.texts if t.hashed is not None]
        return IdText(
            np.concatenate([t.text for t in self.texts]),
            np.concatenate([t.start.astype(np.int64) + n for t, n in zip(self.texts, before, strict=False)]),
            np.concatenate([t.length for t in self.texts]),
            np.concatenate(hashed) if len(hashed) == len(self.texts) else None,
        )

    def pick(self, rows: NDArray[np.integer]) -> IdColumn:
        """The ids of `rows`, sharing the text where rows ascend or there is one text."""
        if len(self.texts) == 1 or not _ascending(rows):
            return IdColumn((self.packed().pick(rows),))
        cuts = np.searchsorted(rows, self.bounds)
        return IdColumn(
            tuple(t.pick(rows[a:b] - n) for t, a, b, n in zip(self.texts, cuts, cuts[1:], self.bounds, strict=False))
        )


def _ascending(rows: NDArray[np.integer]) -> bool:
    return bool((rows[1:] >= rows[:-1]).all())


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
