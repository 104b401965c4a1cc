"""Large frames to Runs and Judgments by kernels: ids hashed and sorted where they lie, names looked at once a stretch.

The careful ways (`runs.run_codes`, `judgment_table.judgment_codes`) sort every row by text and take microseconds for
each; these take the way of TREC files. They give up, with None, on whatever the careful ones would refuse or must look
at, so that every error is theirs.

The rows of a system, a topic or an assessor usually stand together, so a column of millions of rows holds a few
thousand stretches, and only these become Python strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.engine.arrow_views import views_of
from dissensus.errors import InputError
from dissensus.tables.columns import Place, id_strings
from dissensus.tables.grades import ScaleLike, grades_of
from dissensus.tables.id_text import Order, id_text, reordered
from dissensus.tables.ids import IdColumn, IdText, natural_order
from dissensus.tables.judgment_table import repeats_of

Coded = tuple[tuple[str, ...], NDArray[np.int32]]  # names, and the code of every row
_CODED = (pl.Categorical, pl.Enum)
_LONG = 10**18  # numbers of more digits are not sorted as numbers


def run_fields(system: Any, topic: Any, doc: Any, score: Any, *, systems: Sequence[str] = ()) -> Values | None:
    """The fields of Runs from four Polars columns; None where `run_codes` must look at them."""
    if not score.dtype.is_numeric():
        return None
    numbers = score.cast(pl.Float64)
    if not bool(numbers.is_finite().all()):
        return None
    try:
        by_system = name_stretches(system, "system", systems)
        by_topic = name_stretches(topic, "topic")
    except InputError:
        return None
    segment_system, segment_topic, bounds, stretches = segments(by_system, by_topic, len(score))
    ids = id_text(doc, stretches)
    if ids is None:
        return None
    value = reordered(numbers.to_numpy(), stretches) + 0.0  # a copy, in which −0.0 and 0.0 are one score
    if not _rank(bounds, value, ids):
        return None
    return {
        "systems": by_system.names,
        "topics": by_topic.names,
        "segment_system": segment_system.astype(np.int32),
        "segment_topic": segment_topic.astype(np.int32),
        "bounds": bounds,
        "score_parts": (value,),
        "ids": IdColumn((ids,)),
    }


def segments(
    by_system: Stretches, by_topic: Stretches, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Order]:
    """(system of each ranking, its topic, bounds of the rankings, the stretches of rows that they consist of).

    Rankings are in the order of systems, then topics; the stretches are None where the rows stand in that order.
    """
    starts = np.union1d(by_topic.row, by_system.row)
    topic = by_topic.code[np.searchsorted(by_topic.row, starts, side="right") - 1]
    system = by_system.code[np.searchsorted(by_system.row, starts, side="right") - 1]
    lengths = np.diff(np.r_[starts, n])
    segment = system * len(by_topic.names) + topic
    order = None if (segment[1:] >= segment[:-1]).all() else np.argsort(segment, kind="stable")
    if order is not None:
        segment, system, topic, starts, lengths = (a[order] for a in (segment, system, topic, starts, lengths))
    new = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]])
    bounds = np.r_[(np.cumsum(lengths) - lengths)[new], n].astype(np.int64)
    return system[new], topic[new], bounds, None if order is None else (starts, lengths)


def _rank(bounds: NDArray[np.int64], score: NDArray[np.float64], ids: IdText) -> bool:
    """Put every ranking into rank order; False where one holds a document twice."""
    from dissensus.engine.join.ordering import first_duplicate, rank

    if first_duplicate(bounds, ids.key, ids.text, ids.start, ids.length)[0] >= 0:
        return False
    rank(bounds, score, ids.key, ids.text, ids.start, ids.length)
    return True


def judgment_fields(
    topic: Any, doc: Any, assessor: Any, grade: Any, *, scale: ScaleLike, place: Place
) -> tuple[Values, NDArray[np.int64]] | None:
    """What `judgment_codes` gives, from Polars columns with whole numbers as grades; None where it must look."""
    if not grade.dtype.is_integer():
        return None
    ids = id_text(doc)
    if ids is None:
        return None
    try:
        topics, topic_code = _coded(topic, "topic")
        assessors, who = _coded(assessor, "assessor")
    except InputError:
        return None
    grades, common = grades_of(grade, who, assessors, scale, place)
    fields, order = grouped_fields((topics, topic_code), (assessors, who), grades, ids)
    return {**fields, "scale": common, "value": None}, order


def grouped_fields(
    topic: Coded, assessor: Coded, grades: NDArray[np.int8], ids: IdText
) -> tuple[Values, NDArray[np.int64]]:
    """(the fields of Judgments that rows give, the row that each judgment was); `ids` has spare bytes at its end."""
    from dissensus.engine.join.grouping import group

    (topics, topic_code), (assessors, who) = topic, assessor
    order = np.argsort(topic_code, kind="stable")
    bounds = np.searchsorted(topic_code[order], np.arange(len(topics) + 1)).astype(np.int64)
    start = ids.start.astype(np.int64, copy=False)
    item = group(order, bounds, ids.text, start, ids.length, who)
    first = order[np.flatnonzero(np.r_[True, item[1:] != item[:-1]])]
    who = who[order]
    fields = {
        "topics": topics,
        "assessors": assessors,
        "item_topic": topic_code[first],
        "item_ids": IdColumn((IdText(ids.text, start[first], ids.length[first], ids.key[first]),)),
        "item": item,
        "assessor": who,
        "grade": grades[order],
        "repeat": repeats_of(item, who),
    }
    return fields, order


def _coded(column: pl.Series, role: str) -> Coded:
    """(names in natural order, code of every row); names that stand together are looked at once."""
    found = name_stretches(column, role)
    return found.names, np.repeat(found.code.astype(np.int32), np.diff(np.r_[found.row, len(column)]))


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
    from dissensus.engine import view_kernels

    with views_of(column) as chunks:
        if not chunks:
            return None
        before = np.cumsum([0, *(c.rows for c in chunks[:-1])])
        parts = [view_kernels.change_rows(c.at, c.rows, c.buffers, c.sizes) for c in chunks]
    rows = np.concatenate([part + n for part, n in zip(parts, before, strict=True)])
    value = column.gather(rows)  # the first row of a chunk may go on with the text of the last
    again: NDArray[np.bool_] = np.isin(rows, before) & np.r_[False, (value[1:] == value[:-1]).to_numpy()]
    return np.asarray(rows[~again], np.int64)
