"""From columns to Runs, from several Runs to one, from Runs to some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.formats.trec import NUMBER, bad_score
from dissensus.data.ids import IdColumn
from dissensus.data.runs import Runs
from dissensus.data.tables import (
    Place,
    as_polars,
    by_bytes,
    chosen,
    code,
    column_or_none,
    find_column,
    id_strings,
    keys_of,
    plain_column,
    recode,
)
from dissensus.errors import RunError


def runs_from_frame(frame: Any, *, system: str | None, source: str, place: Place | None = None) -> Runs:
    """Runs from a frame with columns system, topic, doc, score."""
    table = as_polars(frame, source)
    topic, doc, score = (find_column(table.columns, role, source) for role in ("topic", "doc", "score"))
    if system is None:
        names = table[find_column(table.columns, "system", source)]
    else:
        names = pl.repeat(str(system), table.height, dtype=pl.String, eager=True)
    return runs_from_columns(names, table[topic], table[doc], table[score], source=source, place=place)


def has_system(frame: pl.DataFrame, source: str) -> bool:
    """Does a table name its systems?"""
    return column_or_none(frame.columns, "system", source) is not None


def runs_from_columns(
    system: Any,
    topic: Any,
    doc: Any,
    score: Any,
    *,
    source: str,
    place: Place | None = None,
    systems: Sequence[str] = (),
) -> Runs:
    """Runs from four columns of equal length; `systems` may name systems that retrieved nothing."""
    where = place or (lambda row: f"{source}, row {row + 1}")
    system = id_strings(system, "system", where)
    topic = id_strings(topic, "topic", where)
    doc = id_strings(doc, "doc", where)
    scores = finite_scores(score, where)
    # a dict may hold a system without topics: it must stay visible
    known = set(system.unique().to_list())
    silent = pl.Series([str(s) for s in systems if str(s) not in known], dtype=pl.String)
    system_names, system_code = code(pl.concat([system, silent]))
    system_code = system_code[: len(system)]
    topic_names, topic_code = code(topic)
    doc_names, doc_code = code(doc, order=by_bytes)

    # rank order: system, topic, score descending, document id descending
    order = np.lexsort((-doc_code, -scores, topic_code, system_code))
    system_code, topic_code, doc_code = system_code[order], topic_code[order], doc_code[order]
    segment = system_code.astype(np.int64) * max(len(topic_names), 1) + topic_code
    starts = np.flatnonzero(np.r_[True, segment[1:] != segment[:-1]]) if len(segment) else np.empty(0, np.int64)
    _refuse_duplicates(segment, doc_code, order, doc_names, system_names, topic_names, where)

    vocabulary = IdColumn.from_strings(doc_names)
    return Runs(
        systems=system_names,
        topics=topic_names,
        segment_system=system_code[starts].astype(np.int32),
        segment_topic=topic_code[starts].astype(np.int32),
        bounds=np.r_[starts, len(segment)].astype(np.int64),
        score=np.ascontiguousarray(scores[order]),
        key=keys_of(vocabulary)[doc_code],
        ids=vocabulary.pick(doc_code),
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
    doc_names: Sequence[str],
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
    raise duplicate(place(first), place(second), systems[system], topics[topic], doc_names[doc[a]], len(twice))


def duplicate(first: str, second: str, system: str, topic: str, doc: str, count: int) -> RunError:
    """The error for a document that a ranking holds twice."""
    more = f" ({count:,} such repeats in all)" if count > 1 else ""
    return RunError(
        f"{first} and {second}: system {system} retrieves document {doc} twice for topic {topic}{more}.",
        "A ranking holds a document once: keep its best score.",
    )


def join_runs(parts: Sequence[Runs], sources: Sequence[str]) -> Runs:
    """One Runs from several; `sources` say where each came from. A ranking in two of them is an error."""
    if len(parts) == 1:
        return parts[0]
    systems, system_codes = _common([p.systems for p in parts])
    topics, topic_codes = _common([p.topics for p in parts])
    segment_system = np.concatenate([c[p.segment_system] for c, p in zip(system_codes, parts, strict=True)])
    segment_topic = np.concatenate([c[p.segment_topic] for c, p in zip(topic_codes, parts, strict=True)])
    part = np.repeat(np.arange(len(parts)), [len(p.segment_system) for p in parts])
    segment = segment_system * max(len(topics), 1) + segment_topic
    order = np.argsort(segment, kind="stable")
    same = np.flatnonzero(segment[order][1:] == segment[order][:-1])
    if len(same):
        a, b = order[same[0]], order[same[0] + 1]
        raise RunError(
            f"{sources[part[a]]} and {sources[part[b]]} both hold a ranking of system {systems[segment_system[a]]} for "
            f"topic {topics[segment_topic[a]]}.",
            'Name the systems after their files with system="file", or put each ranking into one file.',
        )
    return _stitch(parts, order, systems, topics, segment_system[order], segment_topic[order])


def _stitch(
    parts: Sequence[Runs],
    order: NDArray[np.int64],
    systems: tuple[str, ...],
    topics: tuple[str, ...],
    segment_system: NDArray[np.int64],
    segment_topic: NDArray[np.int64],
) -> Runs:
    """The rows of all parts with their segments in `order` (segments of all parts, one part after the other)."""
    first_row = np.concatenate([p.bounds[:-1] for p in parts])
    lengths = np.concatenate([np.diff(p.bounds) for p in parts])
    part = np.repeat(np.arange(len(parts)), [len(p.segment_system) for p in parts])
    # stretches: segments that follow each other in the same part and buffer
    buffer = np.concatenate([np.searchsorted(p.ids.blocks, p.bounds[:-1], side="right") - 1 for p in parts])
    p, b, f, n = part[order], buffer[order], first_row[order], lengths[order]
    fresh = (p[1:] != p[:-1]) | (b[1:] != b[:-1]) | (f[1:] != f[:-1] + n[:-1])
    begin = np.flatnonzero(np.r_[True, fresh]) if len(p) else np.empty(0, np.int64)
    bounds = np.r_[0, np.cumsum(n)].astype(np.int64)
    stretches = [
        (int(p[i]), int(f[i]), int(bounds[j] - bounds[i])) for i, j in zip(begin, np.r_[begin[1:], len(p)], strict=True)
    ]

    def gather(columns: list[NDArray[Any]]) -> NDArray[Any]:
        return np.concatenate([columns[k][row : row + count] for k, row, count in stretches] or [columns[0][:0]])

    ids = IdColumn(
        tuple(parts[p[i]].ids.buffers[b[i]] for i in begin) or (np.empty(0, np.uint8),),
        np.r_[bounds[begin], bounds[-1]] if len(begin) else np.zeros(2, np.int64),
        gather([q.ids.start for q in parts]),
        gather([q.ids.length for q in parts]),
    )
    return Runs(
        systems=systems,
        topics=topics,
        segment_system=segment_system.astype(np.int32),
        segment_topic=segment_topic.astype(np.int32),
        bounds=bounds,
        score=gather([q.score for q in parts]),
        key=gather([q.key for q in parts]),
        ids=ids,
        notes=tuple(note for q in parts for note in q.notes),
    )


def _common(names: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], list[NDArray[np.int64]]]:
    """One vocabulary for all, in natural order, and each old code's new one."""
    from dissensus.data.ids import natural_order

    union = list(dict.fromkeys(n for part in names for n in part))
    union = [union[i] for i in natural_order(union)]
    return tuple(union), [recode(part, union) for part in names]


def select_runs(runs: Runs, systems: Iterable[str] | None, topics: Iterable[str] | None) -> Runs:
    """The segments of some systems and topics, vocabularies cut down to them."""
    keep_s = list(runs.systems) if systems is None else chosen(runs.systems, systems, "system")
    keep_t = list(runs.topics) if topics is None else chosen(runs.topics, topics, "topic")
    new_s = recode(runs.systems, keep_s)[runs.segment_system]
    new_t = recode(runs.topics, keep_t)[runs.segment_topic]
    keep = np.flatnonzero((new_s >= 0) & (new_t >= 0))
    return _stitch([runs], keep, tuple(keep_s), tuple(keep_t), new_s[keep], new_t[keep])
