"""Condensed rankings: what is left when an assessor's unjudged documents are taken out (Sakai 2007).

Unjudged documents, and those with a grade below zero, are dropped before the cut-off; pool, R and ideal stay.
`unjudged="condense"` does so for all measures, `judged_only=True` for one:

    >>> from dissensus.measures.catalog import measure
    >>> round(measure("AP(judged_only=True)").score([2, 0, 3, 1, None, 0, 1], pool=[2, 0, 3, 1, 0, 1, 3, 1, 0]), 6)
    0.513889
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.measures.measure import Grades, Measure, is_judged
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

FACTS = (
    "name",
    "needs_relevant",
    "bounded",
    "higher_is_better",
    "aggregate",
    "when_empty",
    "formula",
    "user",
    "reference",
)


def condensed_scores(measure: Measure, joined: Joined) -> Floats:
    """Scores (assessor, system, topic) of the condensed rankings."""
    out = np.full(joined.shape, np.nan)
    place = {name: i for i, name in enumerate(joined.assessors)}
    for part in condensed(joined):
        out[[place[a] for a in part.assessors]] = measure.scores(part)
    return out


def condensed(joined: Joined) -> list[Joined]:
    """Collections with every assessor's unjudged documents taken out of the rankings.

    Assessors who judged exactly the same documents share one collection; together they hold every assessor once.
    """
    judged = joined.labels >= 0
    groups: dict[bytes, list[int]] = {}  # np.unique along an axis makes a type with a field per document first
    for a, column in enumerate(np.packbits(judged, axis=0).T):
        groups.setdefault(column.tobytes(), []).append(a)
    return [_without(_columns(joined, members), judged[:, members[0]]) for members in groups.values()]


def _columns(joined: Joined, members: list[int]) -> Joined:
    return replace(
        joined,
        assessors=tuple(joined.assessors[a] for a in members),
        labels=np.ascontiguousarray(joined.labels[:, members]),
        in_topic=joined.in_topic[members],
        intents=None if joined.intents is None else joined.intents.select(slice(None), members),
    )


def _without(joined: Joined, judged: NDArray[np.bool_]) -> Joined:
    keep = judged[joined.hit_item]
    kept_before = np.r_[0, np.cumsum(keep)]
    hits = kept_before[joined.hits]
    length = np.diff(hits)
    rank = (np.arange(int(hits[-1])) - np.repeat(hits[:-1], length) + 1).astype(np.int32)
    return replace(joined, hits=hits, hit_rank=rank, hit_item=joined.hit_item[keep], length=length)


@dataclass(frozen=True)
class JudgedOnly(Measure):
    """A measure of condensed rankings. Not linear: which ranks count depends on what was judged."""

    inner: Measure

    def __post_init__(self) -> None:
        object.__setattr__(self, "cutoff", self.inner.cutoff)
        for fact in FACTS:
            object.__setattr__(self, fact, getattr(self.inner, fact))

    def __str__(self) -> str:
        return self.inner.written(judged_only=True)

    def parameters(self) -> Values:
        return {**self.inner.parameters(), "judged_only": True}

    def with_gains(self, gains: Mapping[Any, float] | str) -> JudgedOnly:
        return JudgedOnly(self.inner.with_gains(gains))

    def for_topics(self, topics: Sequence[str]) -> list[Measure]:
        own = self.inner.for_topics(topics)
        return [self if m is self.inner else JudgedOnly(m) for m in own]

    def for_topic(self, topic: str) -> Measure:
        return self.for_topics([topic])[0]

    def relevant_from(self, scale: Scale) -> int:
        return self.inner.relevant_from(scale)

    def check_scale(self, scale: Scale) -> None:
        self.inner.check_scale(scale)

    def needs_top(self) -> bool:
        return self.inner.needs_top()

    def score(self, ranking: Sequence[Any], pool: Sequence[Any] | None = None, scale: Any = None) -> float:
        own = [d for d in ranking if d is not None]
        kept = [d for d in own if not (isinstance(d, int) and d < 0)]
        return self.inner.score(kept, own if pool is None else pool, scale)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        kept: NDArray[np.int8] = grades[is_judged(grades)]
        return self.inner.compute(kept, pool, scale)

    def scores(self, joined: Joined) -> Floats:
        return condensed_scores(self.inner, joined)
