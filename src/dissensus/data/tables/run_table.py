"""From columns to the codes that Runs hold: rank order, finite scores, no document twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.columns import (
    Place,
    code,
    id_strings,
    plain_column,
    sorted_texts,
)
from dissensus.data.tables.ids import IdColumn
from dissensus.errors import RunError

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def run_codes(
    system: Any, topic: Any, doc: Any, score: Any, *, place: Place, systems: Sequence[str] = ()
) -> dict[str, Any]:
    """The fields of Runs from four columns of equal length; `systems` may name systems that retrieved nothing."""
    system = id_strings(system, "system", place)
    topic = id_strings(topic, "topic", place)
    doc = id_strings(doc, "doc", place)
    scores = finite_scores(score, place)
    # a dict may hold a system without topics: it must stay visible
    known = set(system.unique().to_list())
    silent = pl.Series([str(s) for s in systems if str(s) not in known], dtype=pl.String)
    system_names, system_code = code(pl.concat([system, silent]))
    system_code = system_code[: len(system)]
    topic_names, topic_code = code(topic)
    doc_names, doc_code = sorted_texts(doc)

    # rank order: system, topic, score descending, document id descending
    order = np.lexsort((-doc_code, -scores, topic_code, system_code))
    system_code, topic_code, doc_code = system_code[order], topic_code[order], doc_code[order]
    segment = system_code.astype(np.int64) * max(len(topic_names), 1) + topic_code
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]]) if len(segment) else np.empty(0, np.int64)
    _refuse_duplicates(segment, doc_code, order, doc_names, system_names, topic_names, place)

    vocabulary = IdColumn.from_series(doc_names)
    return {
        "systems": system_names,
        "topics": topic_names,
        "segment_system": system_code[starts].astype(np.int32),
        "segment_topic": topic_code[starts].astype(np.int32),
        "bounds": np.r_[starts, len(segment)].astype(np.int64),
        "score": np.ascontiguousarray(scores[order]),
        "ids": vocabulary.pick(doc_code),
    }


def bad_score(where: str, score: object, *hints: str) -> RunError:
    """The error for a score that is not a finite number."""
    return RunError(
        f"{where}: the score {score!r} is not a finite number.",
        *hints,
        "A score is written with digits, like 12.5 or 1e-3; leave out what a system did not retrieve.",
    )


def finite_scores(values: Any, place: Place) -> NDArray[np.float64]:
    """Scores as doubles; anything but a finite number is an error."""
    series = values if isinstance(values, pl.Series) else plain_column("score", list(values))
    if not len(series):
        return np.empty(0)
    if series.dtype in (pl.String, pl.Object):
        return _written_scores(series, place)
    if not series.dtype.is_numeric():
        raise bad_score(place(0), series[0])
    numbers = series.cast(pl.Float64)
    bad = (numbers.is_null() | numbers.is_nan() | numbers.is_infinite()).arg_true()
    if len(bad):
        raise bad_score(place(int(bad[0])), series[int(bad[0])])
    # −0.0 and 0.0 are one score
    return numbers.to_numpy().astype(np.float64) + 0.0


def _written_scores(series: pl.Series, place: Place) -> NDArray[np.float64]:
    out = np.empty(len(series))
    for row, value in enumerate(series.to_list()):
        if isinstance(value, str):
            number = float(value) if NUMBER.fullmatch(value.strip(" \t")) else np.nan
        elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
            number = _as_double(value)
        else:
            number = np.nan
        if not np.isfinite(number):
            raise bad_score(place(row), value)
        out[row] = number
    return out + 0.0


def _as_double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


def _refuse_duplicates(
    segment: NDArray[np.int64],
    doc: NDArray[np.int32],
    order: NDArray[np.int64],
    doc_names: pl.Series,
    systems: Sequence[str],
    topics: Sequence[str],
    place: Place,
) -> None:
    by = np.lexsort((doc, segment))
    twice = np.flatnonzero((segment[by][1:] == segment[by][:-1]) & (doc[by][1:] == doc[by][:-1]))
    if not len(twice):
        return
    a, b = by[twice[0]], by[twice[0] + 1]
    first, second = sorted((int(order[a]), int(order[b])))
    system, topic = divmod(int(segment[a]), len(topics))
    raise duplicate(place(first), place(second), systems[system], topics[topic], doc_names[int(doc[a])], len(twice))


def duplicate(first: str, second: str, system: str, topic: str, doc: str, count: int = 1) -> RunError:
    """The error for a document that a ranking holds twice."""
    more = f" ({count:,} such repeats in all)" if count > 1 else ""
    return RunError(
        f"{first} and {second}: system {system} retrieves document {doc} twice for topic {topic}{more}.",
        "A ranking holds a document once: keep its best score.",
    )
