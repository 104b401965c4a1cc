"""A column of ids as bytes in one buffer, without a Python string per row.

Frames, Parquet and Arrow tables hold ids as texts, as whole numbers, or as places in a dictionary. Kernels copy and
hash texts from where they lie in memory, write numbers as digits, and look at a dictionary once. Rules that ids must
keep (`columns.id_strings`) are checked on the way.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Array
from dissensus.engine.arrow_views import views_of
from dissensus.engine.join.concatenate import copy_stretches
from dissensus.tables.ids import LONGEST, IdText, first_unseen

SPARE = 16  # bytes behind the last id, so that kernels may look at and write whole words
_WIDE = (pl.UInt64, pl.Int128)
_CODED = (pl.Categorical, pl.Enum)
Order = tuple[NDArray[np.int64], NDArray[np.int64]] | None


def id_text(column: pl.Series, stretches: Order = None) -> IdText | None:
    """The ids of a column, or None where one breaks a rule (the careful way then says which and where).

    `stretches`: (where each begins, how many rows it has), in the order in which the rows are wanted.

    >>> found = id_text(pl.Series(["FT-1", "b"]))
    >>> bytes(found.text[:5]), found.start.tolist(), found.length.tolist()
    (b'FT-1b', [0, 4], [4, 1])
    >>> id_text(pl.Series(["FT-1", " b"])) is None
    True
    """
    if column.null_count() or not len(column):
        return None
    if column.dtype.is_integer():
        if column.dtype not in _WIDE and int(column.min()) >= 0:  # type: ignore[arg-type]
            from dissensus.engine.digits import digits_of

            return IdText(*digits_of(column.cast(pl.Int64).to_numpy(), SPARE, stretches))
        return _texts(column.cast(pl.String), stretches)
    if column.dtype in _CODED:
        return _coded(column, stretches)
    return _texts(column, stretches)


def _texts(column: pl.Series, stretches: Order) -> IdText | None:
    from dissensus.engine.view_kernels import copy_ids, text_size

    with views_of(column if stretches is None else column.rechunk()) as chunks:
        if chunks is None:
            return None
        sizes = [text_size(c.at, c.rows, c.buffers, c.sizes) for c in chunks]
        if min(s[1] for s in sizes) == 0 or max(s[2] for s in sizes) > LONGEST:
            return None
        total = sum(s[0] for s in sizes)
        text = np.empty(total + SPARE, np.uint8)
        text[total:] = 0
        start: Array = np.empty(len(column), np.uint32 if total < 2**32 else np.int64)
        length, key = np.empty(len(column), np.uint16), np.empty(len(column), np.uint64)
        here = row = 0
        for c in chunks:
            order = stretches or (np.zeros(1, np.int64), np.array([c.rows]))
            here = copy_ids(c.at, *order, c.buffers, c.sizes, text, here, start, length, key, row)
            if here < 0:
                return None
            row += c.rows
    if first_unseen(text[:total]) is not None:
        return None
    return IdText(text, start, length, key)


def _coded(column: pl.Series, stretches: Order) -> IdText | None:
    """The ids of a dictionary once each, and where each row's lies; where most ids differ, a dictionary is no help."""
    code = column.to_physical().to_numpy()
    size = int(code.max()) + 1
    if 2 * size > len(code):
        return _texts(column.cast(pl.String), stretches)
    row = np.full(size, -1, np.int64)
    row[code] = np.arange(len(code))  # a row that holds the id
    used = row >= 0
    words = _texts(column.gather(row[used]).cast(pl.String), None)
    if words is None:
        return None
    place = np.asarray(reordered((np.cumsum(used) - 1)[code], stretches))
    return IdText(words.text, words.start[place], words.length[place], words.key[place])


def reordered(column: Array, stretches: Order) -> Array:
    """The rows of a column in the order of some stretches."""
    if stretches is None:
        return column
    begin, count = stretches
    out = np.empty(len(column), column.dtype)
    copy_stretches(column, begin, np.cumsum(count) - count, count, out)
    return out


def holds_control(column: pl.Series) -> bool:
    """May a text of the column hold a control character? For columns of another kind, or with gaps, it may."""
    from dissensus.engine.view_kernels import any_control

    with views_of(column) as chunks:
        return chunks is None or any(any_control(c.at, c.rows, c.buffers, c.sizes) for c in chunks)
