"""Runs joined with judgments, as contiguous arrays: what every kernel walks on.

Most retrieved documents were never pooled, and all they contribute is their rank. So a ranking is kept as its length
and its *hits*: the ranks at which it holds a pooled document, and which. Labels are a matrix documents × assessors,
assessors innermost: a kernel walks a ranking once and updates every assessor in one stride. The rankings are joined
once and scored against any number of label sets.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.join.hits import find_hits
from dissensus.engine.walks import hits_above, keep_hits, pool_counts
from dissensus.errors import Fix, InputError, Option
from dissensus.tables.coercion import as_judgments, as_runs
from dissensus.tables.counterparts import (
    UnjudgedRanking,
    refuse_lost_systems,
    refuse_other_topics,
    refuse_unjudged_ranking,
    some,
)
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.tables.scale import UNJUDGED, Scale, refuse_unordered
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    from dissensus.tables.intents import Intents

Hits = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]  # ranks, items, and where each ranking's begin
MANY, FEW, WORTH = 200_000, 8, 0.5  # hits, assessors and share of relevant documents for which a list of them pays
PIECES = 16  # in which it is made
WIDE = 10_000  # labels of a topic from which it is looked at by itself


@dataclass(frozen=True, eq=False)
class Joined:
    """Rankings as hits, labels as a matrix.

    Segment s is one (system, topic); its hits are `hit_rank[hits[s]:hits[s + 1]]` (from 1, ascending) and `hit_item`;
    item i's labels by all assessors are `labels[i]`. Items of topic t are `topic_bounds[t]:topic_bounds[t + 1]`.
    `in_topic[a, t]` tells whether assessor a judged topic t at all.
    """

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    assessors: tuple[str, ...]
    scale: Scale
    segment_system: NDArray[np.int32]
    segment_topic: NDArray[np.int32]
    length: NDArray[np.int64]
    hits: NDArray[np.int64]
    hit_rank: NDArray[np.int32]
    hit_item: NDArray[np.int32]
    topic_bounds: NDArray[np.int64]
    labels: NDArray[np.int8]
    in_topic: NDArray[np.bool_]
    runs: Runs
    judgments: Judgments
    run_rows: NDArray[np.int64]  # first row of each segment in `runs`
    intents: Intents | None = None  # labels per intent, rows as in `labels`

    @property
    def shape(self) -> tuple[int, int, int]:
        """(assessors, systems, topics)"""
        return len(self.assessors), len(self.systems), len(self.topics)

    @cached_property
    def segment_of(self) -> NDArray[np.int64]:
        """Segment of (system, topic), −1 where the system has no ranking."""
        table = np.full((len(self.systems), len(self.topics)), -1, np.int64)
        table[self.segment_system, self.segment_topic] = np.arange(len(self.length))
        return table

    @cached_property
    def pool_counts(self) -> NDArray[np.int64]:
        """Documents per (topic, assessor, grade): what recall bases and ideal rankings are made of."""
        counts: NDArray[np.int64] = pool_counts(self.labels, self.topic_bounds, self.scale.low, len(self.scale))
        return counts

    @property
    def relevant(self) -> Joined:
        """The same with those hits alone that some assessor gives a grade above zero: all that most measures look at.

        The collection itself where that leaves out little.
        """
        return self if self._fewer_hits is None else self._fewer_hits

    @cached_property
    def _fewer_hits(self) -> Joined | None:
        # None, not the collection: one that keeps itself is freed when Python looks for cycles, gigabytes later
        if len(self.hit_item) < MANY or len(self.assessors) > FEW:
            return None
        above = np.asarray((self.labels > 0).any(axis=1))
        if np.count_nonzero(above) > WORTH * len(above):
            return None
        count = np.empty(len(self.length), np.int64)
        parts = [(len(count) * i // PIECES, len(count) * (i + 1) // PIECES) for i in range(PIECES)]
        on_threads(lambda part: hits_above(*part, self.hits, self.hit_item, above, count), parts)
        hits = np.r_[0, np.cumsum(count)].astype(np.int64)
        rank, item = np.empty(hits[-1], np.int32), np.empty(hits[-1], np.int32)
        known = self.hits, self.hit_rank, self.hit_item, above, hits
        on_threads(lambda part: keep_hits(*part, *known, rank, item), parts)
        return replace(self, hits=hits, hit_rank=rank, hit_item=item)

    def with_labels(self, labels: NDArray[np.int8], assessors: Sequence[str] | None = None) -> Self:
        """The same rankings under other label sets: items × any number of assessors."""
        names = tuple(assessors) if assessors is not None else tuple(str(i) for i in range(labels.shape[1]))
        if labels.shape != (len(self.labels), len(names)):
            raise InputError(
                f"labels have the shape {labels.shape}; this collection needs ({len(self.labels)}, {len(names)}): "
                "one row per pooled document, one column per assessor."
            )
        fresh = replace(
            self,
            labels=np.ascontiguousarray(labels, np.int8),
            assessors=names,
            in_topic=judged_topics(labels, self.topic_bounds),
            intents=None,  # other labels say nothing about intents
        )
        return fresh

    def under(self, judgments: Judgments) -> Joined:
        """What `join(runs, judgments)` gives, from the hits found already; unknown documents make it join again.

        A report looks at the same rankings through many eyes: every assessor, their votes, the experts. The documents
        of all of them are joined once.
        """
        here, there = self.judgments.same_documents(judgments)
        if len(there) < judgments.n_items:
            return join(self.runs, judgments)
        item_of = np.full(len(self.labels), -1, np.int32)
        item_of[here] = there
        segment_topic = _topics_in(self.topics, judgments)[self.segment_topic]
        order = _judged_segments(self.runs, judgments, self.segment_system, segment_topic)
        place = np.full(len(self.length), -1, np.int64)
        place[order] = np.arange(len(order))
        segment, item = np.repeat(place, np.diff(self.hits)), item_of[self.hit_item]
        kept = np.flatnonzero((segment >= 0) & (item >= 0))
        kept = kept[np.argsort(segment[kept], kind="stable")]
        bounds = np.r_[0, np.cumsum(np.bincount(segment[kept], minlength=len(order)))].astype(np.int64)
        return _joined(
            self.runs, judgments, (self.hit_rank[kept], item[kept], bounds),
            self.segment_system[order], segment_topic[order], self.length[order], self.run_rows[order],
        )  # fmt: skip


def judged_topics(labels: NDArray[np.int8], topic_bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(assessor, topic): does the assessor have any label in the topic?"""
    if not len(labels):
        return np.zeros((labels.shape[1], len(topic_bounds) - 1), bool)
    if labels.size > WIDE * (len(topic_bounds) - 1):  # numpy's max is vectorised, its reduceat is not
        topics = itertools.pairwise(topic_bounds.tolist())
        best = np.array([labels[a:b].max(axis=0, initial=UNJUDGED) for a, b in topics])
    else:
        best = np.maximum.reduceat(labels, np.minimum(topic_bounds[:-1], len(labels) - 1), axis=0)
        best[np.diff(topic_bounds) == 0] = UNJUDGED
    return np.ascontiguousarray((best > UNJUDGED).T)


def join(runs: Runs, judgments: Judgments, *, whole: bool = True, classes: bool = False) -> Joined:
    """Join rankings with judgments; repeats count with their first grade.

    Topics and systems without a counterpart are refused, unless this is not the `whole`: then that is decided later.
    Labels may have no order (`classes`) where gains will say what they are worth.
    """
    runs, judgments = as_runs(runs), as_judgments(judgments)
    if not classes:
        refuse_unordered(judgments.scale)
    segment_topic = runs.segment_topic
    if len(runs.topics):
        segment_topic = _topics_in(runs.topics, judgments, whole=whole)[runs.segment_topic]
    order = _judged_segments(runs, judgments, runs.segment_system, segment_topic, whole=whole)
    return _joined(
        runs, judgments, find_hits(runs, judgments, segment_topic, order),
        runs.segment_system[order], segment_topic[order], np.diff(runs.bounds)[order], runs.bounds[order],
    )  # fmt: skip


def _joined(
    runs: Runs,
    judgments: Judgments,
    hits: Hits,
    system: NDArray[np.int32],
    topic: NDArray[np.int32],
    length: NDArray[np.int64],
    run_rows: NDArray[np.int64],
) -> Joined:
    """The rankings of these systems and topics, with their hits."""
    labels, bounds = judgments.matrix(), judgments.topic_bounds
    return Joined(
        systems=runs.systems,
        topics=judgments.topics,
        assessors=judgments.assessors,
        scale=judgments.scale,
        segment_system=system,
        segment_topic=topic,
        length=length,
        hits=hits[2],
        hit_rank=hits[0],
        hit_item=hits[1],
        topic_bounds=bounds,
        labels=labels,
        in_topic=judged_topics(labels, bounds),
        runs=runs,
        judgments=judgments,
        run_rows=run_rows,
        intents=judgments.intents,
    )


def _topics_in(topics: Sequence[str], judgments: Judgments, *, whole: bool = True) -> NDArray[np.int32]:
    """Where each topic lies in the judgments, −1 where it was not judged; an error where none of the whole was."""
    if tuple(topics) == judgments.topics:
        return np.arange(len(topics), dtype=np.int32)
    if whole:
        refuse_other_topics(topics, judgments.topics)
    position = {name: i for i, name in enumerate(judgments.topics)}
    return np.array([position.get(t, -1) for t in topics], np.int32)


def refuse_other_documents(joined: Joined, judged: NDArray[np.bool_] | None = None) -> None:
    """Refuse to score where not one document that any run retrieves was judged: every score would be 0."""
    found = unjudged_ranking(joined, judged)
    if found is not None:
        refuse_unjudged_ranking(found)


def unjudged_ranking(joined: Joined, judged: NDArray[np.bool_] | None = None) -> UnjudgedRanking | None:
    """The first ranking, where not one document of any ranking was judged; else None."""
    known = np.asarray((joined.labels > UNJUDGED).any(axis=1)) if judged is None else judged
    few = joined.hit_item[:1000]  # as a rule one of them was judged, and the others need no look
    if known[few].any() or known[joined.hit_item].any() or not joined.length.any():
        return None
    s = int(np.flatnonzero(joined.length)[0])
    row, topic = int(joined.run_rows[s]), int(joined.segment_topic[s])
    pool = slice(int(joined.topic_bounds[topic]), int(joined.topic_bounds[topic + 1]))
    shown = joined.runs.ids.strings(np.arange(row, row + int(joined.length[s])))
    system, docs = joined.systems[joined.segment_system[s]], joined.judgments.doc_ids()[pool]
    return UnjudgedRanking(joined.topics[topic], system, some(shown), some(docs))


def _judged_segments(
    runs: Runs, judgments: Judgments, system: NDArray[np.int32], topic: NDArray[np.int32], *, whole: bool = True
) -> NDArray[np.int64]:
    """Segments of judged topics by topic, then by system."""
    judged = np.flatnonzero(topic >= 0)
    if whole:
        lost = [runs.systems[s] for s in np.setdiff1d(runs.segment_system, system[judged])]
        refuse_lost_systems(lost, judgments.topics)
    return judged[np.lexsort((system[judged], topic[judged]))]


def answered_by_all(runs: Runs, judgments: Judgments) -> Judgments:
    """The judgments of topics for which every system has a ranking."""
    shared = set(runs.shared_topics())
    kept = [t for t in judgments.topics if t in shared]
    if not kept:
        way_out = Fix("Use ", Option("topics", "judged"), ".")
        raise InputError("there is no judged topic that every run answers.", way_out)
    return judgments.select(topics=kept)
