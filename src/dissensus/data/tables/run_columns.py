"""Large frames to Runs by kernels: ids hashed where they lie, only what is out of order sorted.

The careful way (`run_table.run_codes`) sorts every row by text and takes microseconds for each; this one takes the way
of TREC files. It gives up, with None, on whatever the careful way would refuse or must look at, so that every error is
that one's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.id_text import IdText, Order, id_text, reordered
from dissensus.data.tables.ids import IdColumn
from dissensus.data.tables.name_stretches import Stretches, name_stretches
from dissensus.errors import InputError

LARGE = 50_000  # rows below which the careful way is done before the kernels are loaded
_PLAIN = (pl.String, pl.Categorical, pl.Enum)


def run_fields(system: Any, topic: Any, doc: Any, score: Any, *, systems: Sequence[str] = ()) -> dict[str, Any] | None:
    """The fields of Runs from four Polars columns; None where `run_codes` must look at them."""
    columns = (system, topic, doc)
    if not all(isinstance(c, pl.Series) for c in (*columns, score)) or len(score) < LARGE:
        return None
    if not all(c.dtype.is_integer() or c.dtype in _PLAIN for c in columns) or not score.dtype.is_numeric():
        return None
    if any(c.null_count() for c in (*columns, score)):
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
        "score": value,
        "ids": IdColumn((ids.text,), np.array([0, len(value)]), ids.start, ids.length, ids.key),
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
    from dissensus.data.join.ordering import first_duplicate, rank

    if first_duplicate(bounds, ids.key, ids.text, ids.start, ids.length)[0] >= 0:
        return False
    rank(bounds, score, ids.key, ids.text, ids.start, ids.length)
    return True
