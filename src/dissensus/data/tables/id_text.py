"""A column of ids as bytes in one buffer, without a Python string per row.

Frames, Parquet and Arrow tables hold ids as texts, as whole numbers, or as places in a dictionary. Kernels copy and
hash texts from where they lie in memory, write numbers as digits, and look at a dictionary once. Rules that ids must
keep (`columns.id_strings`) are checked on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.ids import LONGEST

SPARE = 16  # bytes behind the last id, so that kernels may look at and write whole words
_WIDE = (pl.UInt64, pl.Int128)
_CODED = (pl.Categorical, pl.Enum)


@dataclass(frozen=True)
class IdText:
    """The id of row i is `text[start[i] : start[i] + length[i]]`, its 64-bit hash `key[i]`."""

    text: NDArray[np.uint8]
    start: NDArray[Any]  # 32 bits wide, or 64 where there is more text
    length: NDArray[np.uint16]
    key: NDArray[np.uint64]


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
    if column.dtype.is_integer():
        if column.dtype not in _WIDE and int(column.min()) >= 0:  # type: ignore[arg-type]
            from dissensus.data.scanner.digits import digits_of

            return IdText(*digits_of(column.cast(pl.Int64).to_numpy(), SPARE))
        return _texts(column.cast(pl.String))
    if column.dtype in _CODED:
        return _coded(column)
    return _texts(column)


def _texts(column: pl.Series) -> IdText | None:
    from dissensus.data.scanner.arrow_views import views_of
    from dissensus.data.scanner.view_kernels import copy_ids, text_size

    with views_of(column) as chunks:
        if chunks is None:
            return None
        sizes = [text_size(c.at, c.rows) for c in chunks]
        if min(s[1] for s in sizes) == 0 or max(s[2] for s in sizes) > LONGEST:
            return None
        total = sum(s[0] for s in sizes)
        text = np.empty(total + SPARE, np.uint8)
        text[total:] = 0
        start: NDArray[Any] = np.empty(len(column), np.uint32 if total < 2**32 else np.int64)
        length, key = np.empty(len(column), np.uint16), np.empty(len(column), np.uint64)
        here = first = 0
        for c in chunks:
            here = copy_ids(c.at, c.rows, c.buffers, c.sizes, text, here, start, length, key, first)
            if here < 0:
                return None
            first += c.rows
    return IdText(text, start, length, key)


def _coded(column: pl.Series) -> IdText | None:
    """The ids of a dictionary once each, and where each row's lies; where most ids differ, a dictionary is no help."""
    code = column.to_physical().to_numpy()
    size = int(code.max()) + 1
    if 2 * size > len(code):
        return _texts(column.cast(pl.String))
    row = np.full(size, -1, np.int64)
    row[code] = np.arange(len(code))  # a row that holds the id
    used = row >= 0
    words = _texts(column.gather(row[used]).cast(pl.String))
    if words is None:
        return None
    place = (np.cumsum(used) - 1)[code]
    return IdText(words.text, words.start[place], words.length[place], words.key[place])


def changes(column: pl.Series) -> tuple[list[Any], NDArray[np.int64]]:
    """(the values of a column wherever they change, the rows at which they do).

    >>> values, rows = changes(pl.Series([7, 7, 3, 7]))
    >>> values, rows.tolist()
    ([7, 3, 7], [0, 2, 3])
    """
    rows = _text_changes(column)
    if rows is None:
        codes = column.to_physical() if column.dtype in _CODED else column
        lengths = codes.rle().struct.field("len").to_numpy().astype(np.int64)
        rows = np.cumsum(lengths) - lengths
    return column.gather(rows).to_list(), rows


def _text_changes(column: pl.Series) -> NDArray[np.int64] | None:
    """Rows whose text is another than the one above, and first rows of chunks; None for columns of another kind."""
    from dissensus.data.scanner.arrow_views import views_of
    from dissensus.data.scanner.view_kernels import change_rows

    with views_of(column) as chunks:
        if chunks is None or not chunks:
            return None
        before = np.cumsum([0, *(c.rows for c in chunks[:-1])])
        rows = np.concatenate([change_rows(c.at, c.rows, c.buffers) + n for c, n in zip(chunks, before, strict=True)])
    value = column.gather(rows)
    again: NDArray[np.bool_] = np.isin(rows, before) & np.r_[False, (value[1:] == value[:-1]).to_numpy()]
    return np.asarray(rows[~again], np.int64)


def holds_control(column: pl.Series) -> bool:
    """May a text of the column hold a control character? For columns of another kind, or with gaps, it may."""
    from dissensus.data.scanner.arrow_views import views_of
    from dissensus.data.scanner.view_kernels import any_control

    with views_of(column) as chunks:
        return chunks is None or any(any_control(c.at, c.rows, c.buffers, c.sizes) for c in chunks)
