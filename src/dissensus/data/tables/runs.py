"""Runs: what each system retrieved for each topic, in rank order.

Rank is a pure function of score and document id: score descending, ties by id descending in UTF-8 byte order
(trec_eval's rule). Rows are kept in that order, so a ranking is a slice. Id strings are built only when asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.join.concatenate import Piece, joined_fields, selected_fields
from dissensus.data.tables.columns import Place, as_polars, find_column, nested_rows, owners
from dissensus.data.tables.frozen import freeze_arrays
from dissensus.data.tables.ids import IdColumn
from dissensus.data.tables.run_columns import run_fields
from dissensus.data.tables.run_table import run_codes
from dissensus.results import summary_html
from dissensus.work.plural import counted


@dataclass(frozen=True, eq=False)
class Runs:
    """Immutable rankings as integer codes.

    Segment s is the ranking of system `systems[segment_system[s]]` for topic `topics[segment_topic[s]]`: rows
    `bounds[s]:bounds[s + 1]` of `score` and `ids`, best first.
    Segments are sorted by system, then topic.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    segment_system: NDArray[np.int32]
    segment_topic: NDArray[np.int32]
    bounds: NDArray[np.int64]
    score: NDArray[np.float64]
    ids: IdColumn
    notes: tuple[str, ...] = ()  # what the reader did or noticed, in words

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def key(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each row's document id; equal ids have equal hashes, not the other way round."""
        return self.ids.keys

    def __len__(self) -> int:
        return len(self.score)

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
        return cls.from_columns(system, topic, doc, score, systems=list(runs), source="the dict")

    @classmethod
    def from_frame(
        cls, frame: Any, *, system: str | None = None, source: str = "the frame", place: Place | None = None
    ) -> Runs:
        """From a Polars or pandas frame or an Arrow table with columns system, topic, doc, score (or usual synonyms).

        A frame without a system column needs `system=`, the name of its one system.
        """
        table = as_polars(frame, source)
        topic, doc, score = (find_column(table.columns, role, source) for role in ("topic", "doc", "score"))
        one = 'If all rows are of one system, name it: system="bm25".'
        names = owners(table, "system", system, source, one)
        return cls.from_columns(names, table[topic], table[doc], table[score], source=source, place=place)

    @classmethod
    def from_columns(
        cls,
        system: Any,
        topic: Any,
        doc: Any,
        score: Any,
        *,
        source: str = "the columns",
        place: Place | None = None,
        systems: Sequence[str] = (),
        notes: tuple[str, ...] = (),
    ) -> Runs:
        """From four columns of equal length; `systems` may name systems that retrieved nothing."""
        where = place or (lambda row: f"{source}, row {row + 1}")
        fields = run_fields(system, topic, doc, score, systems=systems)
        if fields is not None:
            return cls(**fields, notes=notes)
        return cls(**run_codes(system, topic, doc, score, place=where, systems=systems), notes=notes)

    @classmethod
    def from_pieces(cls, pieces: Sequence[Piece]) -> Runs:
        """From the rankings of several files; a ranking in two of them is an error."""
        return cls(**joined_fields(pieces))

    def to_frame(self) -> pl.DataFrame:
        """Polars frame system, topic, doc, score, in rank order."""
        lengths = np.diff(self.bounds)
        return pl.DataFrame(
            {
                "system": pl.Series(
                    np.repeat(np.array(self.systems, dtype=object)[self.segment_system], lengths), dtype=pl.String
                ),
                "topic": pl.Series(
                    np.repeat(np.array(self.topics, dtype=object)[self.segment_topic], lengths), dtype=pl.String
                ),
                "doc": pl.Series(self.ids.strings(), dtype=pl.String),
                "score": pl.Series(self.score, dtype=pl.Float64),
            }
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose ending names the format; `{system}` in the path makes one file per system."""
        from dissensus.data.readers.writers import write_runs

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
