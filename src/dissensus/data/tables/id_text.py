"""A column of ids as bytes in one buffer, without a Python string per row.

Frames, Parquet and Arrow tables hold ids as texts or whole numbers. Polars joins them into one text and says how long
each is; a kernel hashes them where they lie. Rules that ids must keep (`columns.id_strings`) are checked on the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.ids import LONGEST

SPARE = 8  # bytes behind the last id, so that kernels may look at whole words
BLANK, FIRST_PRINTABLE = 32, 32
_WIDE = (pl.UInt64, pl.Int128)


@dataclass(frozen=True)
class IdText:
    """The id of row i is `text[start[i] : start[i] + length[i]]`."""

    text: NDArray[np.uint8]
    start: NDArray[np.int64]
    length: NDArray[np.uint16]

    def keys(self) -> NDArray[np.uint64]:
        """A 64-bit hash of every id."""
        from dissensus.data.scanner.hashing import hash_ids

        keys: NDArray[np.uint64] = hash_ids(self.text, self.start, self.length)
        return keys


def id_text(column: pl.Series) -> IdText | None:
    """The ids of a column, or None where one breaks a rule (the careful way then says which and where).

    >>> found = id_text(pl.Series(["FT-1", "b"]))
    >>> bytes(found.text[:5]), found.start.tolist(), found.length.tolist()
    (b'FT-1b', [0, 4], [4, 1])
    >>> id_text(pl.Series(["FT-1", " b"])) is None
    True
    """
    if column.null_count() or not len(column):
        return None
    if column.dtype.is_integer() and column.dtype not in _WIDE and int(column.min()) >= 0:  # type: ignore[arg-type]
        from dissensus.data.scanner.digits import digits_of

        return IdText(*digits_of(column.cast(pl.Int64).to_numpy(), SPARE))
    texts = column
    if column.dtype.is_integer() or column.dtype in (pl.Categorical, pl.Enum):
        texts = column.cast(pl.String)
    if texts.dtype != pl.String:
        return None
    length = texts.str.len_bytes().to_numpy().astype(np.int64)
    if int(length.min()) == 0 or int(length.max()) > LONGEST:
        return None
    whole = np.frombuffer(texts.str.join("").item().encode() + b"\0" * SPARE, np.uint8)
    stop = np.cumsum(length)
    start = stop - length
    if not column.dtype.is_integer() and _breaks_a_rule(whole, start, stop):
        return None
    return IdText(whole, start, length.astype(np.uint16))


def _breaks_a_rule(whole: NDArray[np.uint8], start: NDArray[np.int64], stop: NDArray[np.int64]) -> bool:
    """Is there a control character, or a blank at the end of an id?"""
    ids = whole[: len(whole) - SPARE]
    if int(ids.min()) < FIRST_PRINTABLE:
        return True
    return bool((whole[start] == BLANK).any() or (whole[stop - 1] == BLANK).any())


def changes(column: pl.Series) -> tuple[list[Any], NDArray[np.int64]]:
    """(the values of a column wherever they change, the rows at which they do).

    >>> values, rows = changes(pl.Series([7, 7, 3, 7]))
    >>> values, rows.tolist()
    ([7, 3, 7], [0, 2, 3])
    """
    stretches = column.rle().struct
    lengths = stretches.field("len").to_numpy().astype(np.int64)
    return stretches.field("value").to_list(), np.cumsum(lengths) - lengths
