"""Runs: what each system retrieved for each topic, in rank order.

Rank is a pure function of score and document id: score descending, ties by id descending in UTF-8 byte order
(trec_eval's rule). Rows are kept in that order, so a ranking is a slice. Id strings are built only when asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.engine.join.concatenate import Piece, joined_fields, selected_fields
from dissensus.errors import RunError
from dissensus.io.writers import write_runs
from dissensus.tables.columns import (
    MANY_RUNS,
    NUMBER,
    Place,
    code,
    freeze_arrays,
    id_strings,
    names_of,
    nested_rows,
    placed,
    plain_column,
    role_columns,
    sorted_texts,
    worth_kernels,
)
from dissensus.tables.ids import IdColumn
from dissensus.tables.large_frames import run_fields
from dissensus.windows.notebook import summary_html
from dissensus.wording import counted


@dataclass(frozen=True, eq=False)
class Runs:
    """Immutable rankings as integer codes.

    Segment s is the ranking of system `systems[segment_system[s]]` for topic `topics[segment_topic[s]]`: rows
    `bounds[s]:bounds[s + 1]` of `score` and `ids`, best first.
    Segments are sorted by system, then topic. Scores lie in parts, one for each text of the ids.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    segment_system: NDArray[np.int32]
    segment_topic: NDArray[np.int32]
    bounds: NDArray[np.int64]
    score_parts: tuple[NDArray[np.float64], ...]
    ids: IdColumn
    notes: tuple[str, ...] = ()  # what the reader did or noticed, in words

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @cached_property
    def score(self) -> NDArray[np.float64]:
        """The score of each row."""
        score = self.score_parts[0].view() if len(self.score_parts) == 1 else np.concatenate(self.score_parts)
        score.setflags(write=False)
        return score

    @property
    def key(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each row's document id; equal ids have equal hashes, not the other way round."""
        return self.ids.keys

    def __len__(self) -> int:
        return int(self.bounds[-1])

    def __repr__(self) -> str:
        sizes = (len(self.systems), "system"), (len(self.topics), "topic"), (len(self), "row")
        return f"Runs({', '.join(counted(n, what) for n, what in sizes)})"

    def _repr_html_(self) -> str:
        lengths = np.diff(self.bounds)
        facts = [
            ("systems", len(self.systems)),
            ("topics", len(self.topics)),
            ("rows", len(self)),
            ("median ranking", float(np.median(lengths)) if len(lengths) else 0),
        ]
        return summary_html("Runs", facts, self.notes)

    @classmethod
    def from_dict(cls, runs: Mapping[str, Mapping[Any, Mapping[Any, float]]]) -> Runs:
        """From {system: {topic: {doc: score}}}.

        >>> Runs.from_dict({"bm25": {"q1": {"d1": 2.0, "d2": 1.0}}})
        Runs(1 system, 1 topic, 2 rows)
        """
        rows = nested_rows(runs, ("system", "topic", "doc", "score"))
        system, topic, doc, score = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls.from_columns(system, topic, doc, score, systems=list(runs), place="the dict")

    @classmethod
    def from_frame(
        cls, frame: object, *, system: str | None = None, source: str = "the frame", place: Place | None = None
    ) -> Runs:
        """From a Polars or pandas frame or an Arrow table with columns system, topic, doc, score (or usual synonyms).

        A frame without a system column needs `system=`, the name of its one system.
        """
        one = 'If all rows are of one system, name it: system="bm25".'
        roles = ("topic", "doc", "score", "system")
        topic, doc, score, names = role_columns(frame, source, roles, "system", system, one)
        return cls.from_columns(names, topic, doc, score, place=place or source)

    @classmethod
    def from_columns(
        cls,
        system: object,
        topic: object,
        doc: object,
        score: object,
        *,
        place: Place | str = "the columns",
        systems: Sequence[str] = (),
        notes: tuple[str, ...] = (),
    ) -> Runs:
        """From four columns of equal length; `systems` may name systems that retrieved nothing.

        `place` names the columns, or says where each row came from, for errors.
        """
        where = placed(place)
        fields = None
        if worth_kernels((system, topic, doc), score, MANY_RUNS):
            fields = run_fields(system, topic, doc, score, systems=systems)
        fields = fields or run_codes(system, topic, doc, score, place=where, systems=systems)
        return cls(**fields, notes=notes)

    @classmethod
    def from_pieces(cls, pieces: Sequence[Piece]) -> Runs:
        """From the rankings of several files; a ranking in two of them is an error."""
        return cls(**joined_fields(pieces))

    def to_frame(self) -> pl.DataFrame:
        """Polars frame system, topic, doc, score, in rank order."""
        lengths = np.diff(self.bounds)
        return pl.DataFrame(
            {
                "system": names_of(self.systems, np.repeat(self.segment_system, lengths)),
                "topic": names_of(self.topics, np.repeat(self.segment_topic, lengths)),
                "doc": pl.Series(self.ids.strings(), dtype=pl.String),
                "score": pl.Series(self.score, dtype=pl.Float64),
            }
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose ending names the format; `{system}` in the path makes one file per system."""
        write_runs(self, path)

    def select(self, *, systems: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Runs:
        """Some systems or topics; the text of ids is shared, not copied."""
        return Runs(**selected_fields(self, systems, topics))

    def shared_topics(self) -> list[str]:
        """The topics for which every system has a ranking, in the order of `topics`.

        >>> runs = Runs.from_dict({"A": {"q1": {"x": 1.0}, "q2": {"x": 1.0}}, "B": {"q2": {"x": 1.0}}})
        >>> runs.shared_topics()
        ['q2']
        """
        answers = np.bincount(self.segment_topic, minlength=len(self.topics))
        return [self.topics[t] for t in np.flatnonzero(answers == len(self.systems))]

    def ranking(self, system: str, topic: str) -> list[str]:
        """Document ids of one ranking, best first; empty if the system has nothing for the topic."""
        here = np.flatnonzero(
            (self.segment_system == self.systems.index(system)) & (self.segment_topic == self.topics.index(topic))
        )
        if not len(here):
            return []
        return self.ids.strings(np.arange(self.bounds[here[0]], self.bounds[here[0] + 1]))


def run_codes(system: Any, topic: Any, doc: Any, score: Any, *, place: Place, systems: Sequence[str] = ()) -> Values:
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
        "score_parts": (np.ascontiguousarray(scores[order]),),
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
    if series.dtype == pl.String:
        text = series.str.strip_chars(" \t")
        read = text.filter(text.str.contains(f"^(?:{NUMBER.pattern})$")).cast(pl.Float64, strict=False)
        if len(read) == len(series) and bool(read.is_finite().all()):
            return read.to_numpy() + 0.0
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
