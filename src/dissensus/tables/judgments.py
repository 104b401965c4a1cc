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
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.io.writers import write_judgments
from dissensus.tables.columns import (
    MANY_LABELS,
    ONE_TOPIC,
    Place,
    as_polars,
    column_or_none,
    freeze_arrays,
    id_strings,
    names_of,
    nested_rows,
    one_text,
    placed,
    role_columns,
    worth_kernels,
)
from dissensus.tables.facets import CLASS, facet, with_classes
from dissensus.tables.grades import ScaleLike
from dissensus.tables.ids import IdColumn
from dissensus.tables.intents import pair_names, with_intents
from dissensus.tables.judgment_table import Repeated, judgment_codes, select_judgments, settle, unlabelled
from dissensus.tables.large_frames import judgment_fields
from dissensus.tables.scale import UNJUDGED, Scale
from dissensus.windows.notebook import summary_html
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.tables.intents import Intents


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
    item: NDArray[np.int32]
    assessor: NDArray[np.int32]
    grade: NDArray[np.int8]
    repeat: NDArray[np.int32]
    value: NDArray[np.float64] | None = None  # the scores of judges who give scores, by row; grades are then classes
    notes: tuple[str, ...] = ()  # what the reader did or noticed, in words
    intents: Intents | None = None  # labels per intent of a topic, where they were given

    def __post_init__(self) -> None:
        freeze_arrays(self)

    # ── sizes ──
    def __len__(self) -> int:
        return len(self.item)

    @property
    def n_items(self) -> int:
        return len(self.item_topic)

    @property
    def item_key(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each item's document id; equal ids have equal hashes, not the other way round."""
        return self.item_ids.keys

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

    def _repr_html_(self) -> str:
        facts = [
            ("assessors", ", ".join(self.assessors[:5]) + (" …" if len(self.assessors) > 5 else "")),
            ("labels", len(self)),
            ("documents", self.n_items),
            ("topics", len(self.topics)),
            ("scale", self.scale),
        ]
        return summary_html("Judgments", facts, self.notes)

    # ── coming from ──
    @classmethod
    def from_dict(
        cls,
        judgments: Mapping[str, Mapping[Any, Mapping[Any, object]]],
        *,
        scale: ScaleLike = None,
    ) -> Judgments:
        """From {assessor: {topic: {doc: grade}}}.

        >>> Judgments.from_dict({"ann": {1: {"d1": 2, "d2": 0}}})
        Judgments(2 labels, 1 assessor, 2 documents, 1 topic, scale 0…2 (read off the data))
        """
        rows = nested_rows(judgments, ("assessor", "topic", "doc", "grade"))
        who, topic, doc, grade = zip(*rows, strict=True) if rows else ((), (), (), ())
        notes = unlabelled(judgments, who)
        return cls.from_columns(topic, doc, who, grade, scale=scale, place="the dict", notes=notes)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        assessor: str | None = None,
        intent: Literal["column"] | None = None,
        scale: ScaleLike = None,
        columns: Mapping[str, str] | None = None,
        labels: Sequence[str] | None = None,
        repeated: Repeated = "error",
        source: str = "the frame",
        place: Place | None = None,
    ) -> Judgments:
        """From a Polars or pandas frame or an Arrow table with columns topic, doc, assessor, grade (or usual synonyms).

        A frame without an assessor column needs `assessor=`, the name of its one assessor; one without topics is of
        one. `columns` says which column is which, {"topic": "qid"}, `labels` which make one label together, ["snippet",
        "page"]. `intent="column"`: the column `intent` (or subtopic) names the intent of the topic.
        """
        one = 'If all labels are by one assessor, name it: assessor="ann".'
        table, named = as_polars(frame, source), {str(k): str(v) for k, v in (columns or {}).items()}
        if "topic" not in named and column_or_none(table.columns, "topic", source) is None:
            table = table.with_columns(one_text(ONE_TOPIC, table.height).alias("topic"))
        if labels:
            table, scale = with_classes(table, labels, scale, placed(place or source), source)
            named["grade"] = CLASS
        roles = ("topic", "doc", "grade", "assessor", *(() if intent is None else ("intent",)))
        topic, doc, grade, who, *intents = role_columns(table, source, roles, "assessor", assessor, one, named=named)
        return cls.from_columns(
            topic, doc, who, grade, intent=intents[0] if intents else None,
            scale=scale, repeated=repeated, place=place or source,
        )  # fmt: skip

    @classmethod
    def from_columns(
        cls,
        topic: Any,
        doc: Any,
        assessor: Any,
        grade: Any,
        *,
        intent: Any = None,
        scale: ScaleLike = None,
        repeated: Repeated = "error",
        place: Place | str = "the columns",
        notes: tuple[str, ...] = (),
        threshold: Sequence[float] | None = None,
    ) -> Judgments:
        """From four columns of equal length, or five with intents; `place` names them or says where each row came from.

        Grades that are fractions are a judge's scores: cut into grades at `threshold`, else sorted into ten bins.
        """
        where = placed(place)
        if intent is not None:
            columns = (list(id_strings(c, role, where)) for c, role in ((assessor, "assessor"), (intent, "intent")))
            pairs, meaning = pair_names(*columns)
            named = cls.from_columns(
                topic, doc, pairs, grade, scale=scale, repeated=repeated, place=where, notes=notes, threshold=threshold
            )  # fmt: skip
            return with_intents(named, meaning)
        quick = None
        if not threshold and worth_kernels((topic, doc, assessor), grade, MANY_LABELS):
            quick = judgment_fields(topic, doc, assessor, grade, scale=scale, place=where)
        fields, order = quick or judgment_codes(
            topic, doc, assessor, grade, scale=scale, place=where, threshold=threshold
        )
        if fields["value"] is not None and not threshold:
            notes = (*notes, f"the judge's scores are kept and sorted into {len(fields['scale'])} bins of equal size")
        return settle(cls(**fields, notes=notes), repeated, lambda row: where(int(order[row])))

    # ── going to ──
    def to_frame(self) -> pl.DataFrame:
        """Polars frame topic, doc, assessor, grade; grades are numbers, or names where the scale has names."""
        numeric = self.scale.names == tuple(str(g) for g in self.scale.grades)
        grade = self.grade.astype(np.int64) if numeric else [self.scale.name(int(g)) for g in self.grade]
        return pl.DataFrame(
            {
                "topic": names_of(self.topics, self.item_topic[self.item]),
                "doc": names_of(self.doc_ids(), self.item),
                "assessor": names_of(self.assessors, self.assessor),
                "grade": pl.Series(grade, dtype=pl.Int64 if numeric else pl.String),
            }
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file whose ending names the format."""
        write_judgments(self, path)

    # ── choosing ──
    def rows(self, keep: NDArray[np.bool_]) -> Judgments:
        """The judgments where `keep` is true; the vocabulary (topics, assessors, items) stays as it is."""
        value = None if self.value is None else self.value[keep]
        return replace(
            self,
            item=self.item[keep],
            assessor=self.assessor[keep],
            grade=self.grade[keep],
            repeat=self.repeat[keep],
            value=value,
        )

    def facet(self, name: str) -> Judgments:
        """The labels of one column alone, where they were put together from several (`labels=["snippet", "page"]`)."""
        return facet(self, name)

    def first(self) -> Judgments:
        """Only each assessor's first judgment of each document."""
        return self.rows(self.repeat == 0)

    def judged(self) -> Judgments:
        """Only grades that are grades: rows below zero (in the pool, unjudged) left out."""
        return self.rows(self.grade >= 0)

    def select(self, *, topics: Iterable[str] | None = None, assessors: Iterable[str] | None = None) -> Judgments:
        """Judgments of some topics or assessors, with the vocabularies cut down to them."""
        return select_judgments(self, topics, assessors)

    def with_grades(self, grade: NDArray[np.integer], scale: Scale | None = None) -> Judgments:
        """The same rows with other grades (noise injected, grades merged)."""
        return replace(self, grade=np.array(grade, np.int8), scale=scale or self.scale, value=None, intents=None)

    def same_documents(self, other: Judgments) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(items here, items there) of the documents that both judge: the same id, byte by byte, of the same topic.

        >>> one = Judgments.from_dict({"ann": {1: {"d1": 2, "d2": 0}, 2: {"d1": 1}}})
        >>> [pair.tolist() for pair in one.same_documents(Judgments.from_dict({"bob": {2: {"d1": 0, "d2": 0}}}))]
        [[2], [0]]
        """
        if self.topics == other.topics and self._documents_are_those_of(other):
            return np.arange(self.n_items), np.arange(self.n_items)
        known = {name: i for i, name in enumerate(self.topics)}
        topic = np.array([known.get(name, -1) for name in other.topics], np.int64)
        here = {pair: i for i, pair in enumerate(zip(self.item_topic.tolist(), self.doc_ids(), strict=True))}
        there = zip(topic[other.item_topic].tolist() if len(topic) else [], other.doc_ids(), strict=True)
        pairs = [(here[pair], i) for i, pair in enumerate(there) if pair in here]
        both = np.array(pairs, np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _documents_are_those_of(self, other: Judgments) -> bool:
        """Are the documents the same, in the same order? (What was selected or merged often shares them.)"""
        mine, theirs = self.item_ids.packed(), other.item_ids.packed()
        return bool(
            np.array_equal(self.item_topic, other.item_topic)
            and np.array_equal(mine.start, theirs.start)
            and np.array_equal(mine.length, theirs.length)
            and np.array_equal(mine.text, theirs.text)
        )

    def gains(self) -> dict[int, float]:
        """The mean score of each class of a judge who gives scores: gains for `measure.with_gains`."""
        if self.value is None:
            raise InputError("these judges give grades, not scores: their classes have no mean score.")
        return {int(g): float(self.value[self.grade == g].mean()) for g in np.unique(self.grade)}

    def n_repeats(self) -> int:
        """How many rows repeat an assessor's earlier judgment of the same document."""
        return int(np.count_nonzero(self.repeat))

    def matrix(self, assessors: Sequence[str] | None = None) -> NDArray[np.int8]:
        """Dense labels items × assessors, UNJUDGED where there is none; first judgments only."""
        labels = np.full((self.n_items, len(self.assessors)), UNJUDGED, np.int8)
        first = self.repeat == 0
        labels[self.item[first], self.assessor[first]] = self.grade[first]
        if assessors is not None:
            labels = labels[:, [self.assessors.index(a) for a in assessors]]
        return np.ascontiguousarray(labels)
