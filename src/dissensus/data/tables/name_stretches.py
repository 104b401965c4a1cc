"""Columns of names, which stand in stretches: a name is looked at where it changes, and coded once.

The rows of a system, a topic or an assessor usually stand together, so a column of millions of rows holds a few
thousand stretches, and only these become Python strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.columns import id_strings
from dissensus.data.tables.ids import natural_order

_CODED = (pl.Categorical, pl.Enum)
_LONG = 10**18  # numbers of more digits are not sorted as numbers


@dataclass(frozen=True)
class Stretches:
    """From `row[k]` on, rows have the name `names[code[k]]`, until the next; names are in natural order."""

    names: tuple[str, ...]
    code: NDArray[np.int64]
    row: NDArray[np.int64]


def name_stretches(column: pl.Series, role: str, further: Sequence[str] = ()) -> Stretches:
    """The stretches of a column without gaps; `further` may be names that no row has. A bad name is an InputError.

    >>> name_stretches(pl.Series([10, 10, 9]), "topic")
    Stretches(names=('9', '10'), code=array([1, 0]), row=array([0, 2]))
    """
    row = change_rows(column)
    values = column.gather(row)
    distinct, code = _distinct(values)
    names = id_strings(distinct, role, lambda row: "").to_list()
    known = set(names) if further else set()
    silent = [name for name in map(str, further) if name not in known]
    numbers = column.dtype.is_integer() and not silent and len(names) > 0 and distinct[0] >= 0 and distinct[-1] < _LONG
    if numbers:  # they were sorted as numbers
        return Stretches(tuple(names), code, row)
    names += silent
    order = natural_order(names)
    place = np.empty(len(names), np.int64)
    place[order] = np.arange(len(names))
    return Stretches(tuple(names[i] for i in order), place[code], row)


def _distinct(values: pl.Series) -> tuple[pl.Series, NDArray[np.int64]]:
    """(the distinct values, numbers in their order; the place of each value among them)"""
    if values.dtype.is_integer() or values.dtype in _CODED:
        _, at, code = np.unique(values.to_physical().to_numpy(), return_index=True, return_inverse=True)
        return values.gather(at), code.astype(np.int64)
    texts = values.to_list()
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    distinct = pl.Series(values.name, list(place), dtype=pl.String)
    return distinct, np.fromiter((place[text] for text in texts), np.int64, len(texts))


def change_rows(column: pl.Series) -> NDArray[np.int64]:
    """The rows of a column whose value is another than that of the row above; the first is one.

    >>> change_rows(pl.Series([7, 7, 3, 7])).tolist()
    [0, 2, 3]
    """
    rows = _text_changes(column)
    if rows is not None:
        return rows
    codes = column.to_physical() if column.dtype in _CODED else column
    lengths = codes.rle().struct.field("len").to_numpy().astype(np.int64)
    return np.asarray(np.cumsum(lengths) - lengths, np.int64)


def _text_changes(column: pl.Series) -> NDArray[np.int64] | None:
    """The same of texts, by a kernel; None for columns of another kind."""
    from dissensus.data.scanner import view_kernels
    from dissensus.data.scanner.arrow_views import views_of

    with views_of(column) as chunks:
        if not chunks:
            return None
        before = np.cumsum([0, *(c.rows for c in chunks[:-1])])
        parts = [view_kernels.change_rows(c.at, c.rows, c.buffers) for c in chunks]
    rows = np.concatenate([part + n for part, n in zip(parts, before, strict=True)])
    value = column.gather(rows)  # the first row of a chunk may go on with the text of the last
    again: NDArray[np.bool_] = np.isin(rows, before) & np.r_[False, (value[1:] == value[:-1]).to_numpy()]
    return np.asarray(rows[~again], np.int64)
