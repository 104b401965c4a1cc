"""Judgments: who gave which document which grade.

Several assessors are the normal case. Inside, a judgment is three numbers: the *item* (a document of a topic), the
assessor, the grade; names are kept once. Items are sorted by topic and document id, rows by item, assessor and order
of arrival, so nothing depends on the order of the input except which of an assessor's repeated judgments came first.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.frozen import freeze_arrays
from dissensus.data.tables.ids import IdColumn
from dissensus.data.tables.scale import Scale
from dissensus.work.plural import counted

if TYPE_CHECKING:
    import polars as pl

Repeated = Literal["error", "keep", "first", "last"]
Grade = int | str


@dataclass(frozen=True, eq=False)
class Judgments:
    """Immutable judgments as integer codes.

    Row r says: assessor `assessors[assessor[r]]` gave item `item[r]` the grade `grade[r]`. Item i is the document
    `doc_ids([i])[0]` of topic `topics[item_topic[i]]`. `repeat[r]` is 0 for an assessor's first judgment of an item.
    """

    topics: tuple[str, ...]
    assessors: tuple[str, ...]
    scale: Scale
    item_topic: NDArray[np.int32]
    item_ids: IdColumn
    item_key: NDArray[np.uint64]
    item: NDArray[np.int32]
    assessor: NDArray[np.int32]
    grade: NDArray[np.int8]
    repeat: NDArray[np.int32]
    notes: tuple[str, ...] = ()  # what the reader did or noticed, in words

    def __post_init__(self) -> None:
        freeze_arrays(self)

    # ── sizes ──
    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_items(self) -> int:
        return len(self.item_topic)

    @property
    def topic_bounds(self) -> NDArray[np.int64]:
        """Items of topic t are `topic_bounds[t]:topic_bounds[t + 1]`."""
        return np.searchsorted(self.item_topic, np.arange(len(self.topics) + 1)).astype(np.int64)

    def doc_ids(self, items: NDArray[np.integer] | None = None) -> list[str]:
        """Document ids of items, as strings."""
        return self.item_ids.strings(items)

    def __repr__(self) -> str:
        sizes = (
            (len(self), "label"),
            (len(self.assessors), "assessor"),
            (self.n_items, "document"),
            (len(self.topics), "topic"),
        )
        return f"Judgments({', '.join(counted(n, what) for n, what in sizes)}, scale {self.scale})"

    # ── coming from ──
    @classmethod
    def from_dict(
        cls,
        judgments: Mapping[str, Mapping[Any, Mapping[Any, Any]]],
        *,
        scale: Scale | Sequence[str] | str | Mapping[Any, Any] | None = None,
    ) -> Judgments:
        """From {assessor: {topic: {doc: grade}}}.

        >>> Judgments.from_dict({"ann": {1: {"d1": 2, "d2": 0}}})
        Judgments(2 labels, 1 assessor, 2 documents, 1 topic, scale 0…2 (read off the data))
        """
        from dissensus.data.readers.columns import nested_rows
        from dissensus.data.tables.judgment_table import judgments_from_columns, unlabelled

        rows = nested_rows(judgments, ("assessor", "topic", "doc", "grade"))
        who, topic, doc, grade = zip(*rows, strict=True) if rows else ((), (), (), ())
        notes = unlabelled(judgments, who)
        return judgments_from_columns(topic, doc, who, grade, scale=scale, source="the dict", notes=notes)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        assessor: str | None = None,
        scale: Scale | Sequence[str] | str | Mapping[Any, Any] | None = None,
        repeated: Repeated = "error",
    ) -> Judgments:
        """From a Polars or pandas frame with columns topic, doc, assessor, grade (usual synonyms are understood).

        A frame without an assessor column needs `assessor=`, the name of its one assessor.
        """
        from dissensus.data.tables.judgment_table import judgments_from_frame

        return judgments_from_frame(frame, assessor=assessor, scale=scale, repeated=repeated, source="the frame")

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc, assessor, grade; grades are numbers, or names where the scale has names."""
        import polars as pl

        docs = np.array(self.doc_ids(), dtype=object)
        numeric = self.scale.names == tuple(str(g) for g in self.scale.grades)
        return pl.DataFrame(
            {
                "topic": pl.Series(np.array(self.topics, dtype=object)[self.item_topic[self.item]], dtype=pl.String),
                "doc": pl.Series(docs[self.item], dtype=pl.String),
                "assessor": pl.Series(np.array(self.assessors, dtype=object)[self.assessor], dtype=pl.String),
                "grade": pl.Series(self.grade.astype(np.int64), dtype=pl.Int64)
                if numeric
                else pl.Series([self.scale.name(int(g)) for g in self.grade], dtype=pl.String),
            }
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose ending names the format."""
        from dissensus.data.readers.writers import write_judgments

        write_judgments(self, path)

    # ── choosing ──
    def rows(self, keep: NDArray[np.bool_]) -> Judgments:
        """The judgments where `keep` is true; the vocabulary (topics, assessors, items) stays as it is."""
        return replace(
            self, item=self.item[keep], assessor=self.assessor[keep], grade=self.grade[keep], repeat=self.repeat[keep]
        )

    def first(self) -> Judgments:
        """Only each assessor's first judgment of each document."""
        return self.rows(self.repeat == 0)

    def judged(self) -> Judgments:
        """Only grades that are grades: rows below zero (in the pool, unjudged) left out."""
        return self.rows(self.grade >= 0)

    def select(self, *, topics: Iterable[str] | None = None, assessors: Iterable[str] | None = None) -> Judgments:
        """Judgments of some topics or assessors, with the vocabularies cut down to them."""
        from dissensus.data.tables.judgment_table import select_judgments

        return select_judgments(self, topics, assessors)

    def with_grades(self, grade: NDArray[np.integer], scale: Scale | None = None) -> Judgments:
        """The same rows with other grades (noise injected, grades merged)."""
        return replace(self, grade=np.array(grade, np.int8), scale=scale or self.scale)

    def n_repeats(self) -> int:
        """How many rows repeat an assessor's earlier judgment of the same document."""
        return int(np.count_nonzero(self.repeat))

    def matrix(self, assessors: Sequence[str] | None = None) -> NDArray[np.int8]:
        """Dense labels items × assessors, UNJUDGED where there is none; first judgments only."""
        from dissensus.data.tables.scale import UNJUDGED

        labels = np.full((self.n_items, len(self.assessors)), UNJUDGED, np.int8)
        first = self.repeat == 0
        labels[self.item[first], self.assessor[first]] = self.grade[first]
        if assessors is not None:
            labels = labels[:, [self.assessors.index(a) for a in assessors]]
        return np.ascontiguousarray(labels)
