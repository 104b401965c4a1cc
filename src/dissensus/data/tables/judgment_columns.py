"""Large frames to Judgments by kernels: ids sorted where they lie, as those of qrels files are.

The careful way (`judgment_table.judgment_codes`) sorts all ids of the column as texts; this one sorts the documents of
each topic. It gives up, with None, on whatever the careful way would refuse or must look at, so that every error is
that one's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.columns import Place
from dissensus.data.tables.grades import ScaleLike, grades_of
from dissensus.data.tables.id_text import id_text
from dissensus.data.tables.ids import IdColumn
from dissensus.data.tables.judgment_table import repeats_of
from dissensus.data.tables.name_stretches import name_stretches
from dissensus.errors import InputError

LARGE = 20_000  # rows below which the careful way is done before the kernels are loaded
_PLAIN = (pl.String, pl.Categorical, pl.Enum)


def judgment_fields(
    topic: Any, doc: Any, assessor: Any, grade: Any, *, scale: ScaleLike, place: Place
) -> tuple[dict[str, Any], NDArray[np.int64]] | None:
    """What `judgment_codes` gives, from Polars columns with whole numbers as grades; None where it must look."""
    columns = (topic, doc, assessor)
    if not all(isinstance(c, pl.Series) for c in (*columns, grade)) or len(grade) < LARGE:
        return None
    if not all(c.dtype.is_integer() or c.dtype in _PLAIN for c in columns) or not grade.dtype.is_integer():
        return None
    if any(c.null_count() for c in (*columns, grade)):
        return None
    ids = id_text(doc)
    if ids is None:
        return None
    try:
        topics, topic_code = _coded(topic, "topic")
        assessors, who = _coded(assessor, "assessor")
    except InputError:
        return None
    from dissensus.data.join.grouping import group

    grades, common = grades_of(grade, who, assessors, scale, place)
    order = np.argsort(topic_code, kind="stable")
    bounds = np.searchsorted(topic_code[order], np.arange(len(topics) + 1)).astype(np.int64)
    start = ids.start.astype(np.int64)
    item = group(order, bounds, ids.text, start, ids.length, who)
    first = order[np.flatnonzero(np.r_[True, item[1:] != item[:-1]])]
    who = who[order]
    fields = {
        "topics": topics,
        "assessors": assessors,
        "scale": common,
        "item_topic": topic_code[first],
        "item_ids": IdColumn((ids.text,), np.array([0, len(first)]), start[first], ids.length[first], ids.key[first]),
        "item": item,
        "assessor": who,
        "grade": grades[order],
        "repeat": repeats_of(item, who),
        "value": None,
    }
    return fields, order


def _coded(column: pl.Series, role: str) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """(names in natural order, code of every row); names that stand together are looked at once."""
    found = name_stretches(column, role)
    return found.names, np.repeat(found.code.astype(np.int32), np.diff(np.r_[found.row, len(column)]))
