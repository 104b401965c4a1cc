"""Cascade measures: a user reads down and stops when satisfied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.walks import cascade_sums
from dissensus.errors import MeasureError, Option, Text
from dissensus.measures.linear import by_label, by_system, walk
from dissensus.measures.measure import Binary, Grades, Measure, is_judged, value_of
from dissensus.measures.parameters import relevance, whole
from dissensus.measures.ties import expected_first, expected_length
from dissensus.tables.scale import HIGHEST, Scale

if TYPE_CHECKING:
    from dissensus.measures.ties import TieGroups
    from dissensus.tables.collection import Joined


def cascade(stops: Floats, cutoff: int | None, joined: Joined) -> Floats:
    """Σ_r (1/r)·x_r·Π(1 − x_i), (assessor, system, topic); x by grade of the scale, lowest first."""
    table = by_label(stops, joined.scale)
    sums = walk(joined, cascade_sums, joined.hit_rank, joined.hit_item, joined.labels, table, cutoff=cutoff)
    return by_system(sums, joined)


@dataclass(frozen=True)
class RR(Binary):
    """Reciprocal rank of the first relevant document; 0 if there is none among the first k."""

    formula = "1 / rank of the first relevant document"
    user = "stops at the first relevant document"
    reference = "Voorhees 1999"

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_first(self, joined, groups)[0]

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = np.flatnonzero(grades[: self.cutoff] >= self.rel)
        return 1.0 / (int(relevant[0]) + 1) if len(relevant) else 0.0

    def scores(self, joined: Joined) -> Floats:
        # a user who is certainly satisfied by the first relevant document
        return cascade((joined.scale.grades >= self.rel).astype(float), self.cutoff, joined)


@dataclass(frozen=True)
class ERR(Measure):
    """Expected reciprocal rank at which a user is satisfied (Chapelle et al. 2009).

    ERR = Σ_r (1/r)·x_r·Π_{i<r}(1 − x_i), x = (2^g − 1)/2^top. `max` is the top grade; without it the scale's, so
    ERR of the same labels changes with the scale: declare it.

    >>> round(ERR(max=3).score([0, 1, 1, 1, 1]), 4)
    0.1396
    """

    formula = "Σ_r (1/r)·x_r·Π_{i<r}(1 − x_i), x = (2^g − 1)/2^top"
    user = "goes down the list and stops where satisfied; the higher the grade, the sooner"
    reference = "Chapelle, Metzler, Zhang & Grinspan 2009"

    max: int | None = whole(None, "top grade; the scale's without it", optional=True, least=1, most=HIGHEST)

    def needs_top(self) -> bool:
        return self.max is None

    def satisfied(self, scale: Scale) -> Floats:
        """x per grade of the scale, lowest first."""
        top = scale.top if self.max is None else self.max
        if scale.top > top and scale.declared:
            raise MeasureError(Text(f"{self}: the scale {scale} has grades above ", Option("max", top), "."))
        return np.asarray((np.exp2(scale.grades.astype(float)) - 1.0) / 2.0**top)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        if self.max is not None and int(grades.max(initial=0)) > self.max:
            raise MeasureError(
                Text(f"{self}: the ranking holds grade {int(grades.max())}, above ", Option("max", self.max), ".")
            )
        top = grades[: self.cutoff]
        x = value_of(top, self.satisfied(scale), scale)
        reading = np.concatenate([[1.0], np.cumprod(1.0 - x)[:-1]]) if len(x) else x
        return float((reading * x / np.arange(1, len(x) + 1)).sum())

    def scores(self, joined: Joined) -> Floats:
        used = joined.pool_counts.sum(axis=(0, 1))
        highest = joined.scale.low + int(np.flatnonzero(used).max(initial=0))
        if self.max is not None and highest > self.max:
            raise MeasureError(
                Text(f"{self}: the judgments hold grade {highest}, above ", Option("max", self.max), ".")
            )
        return cascade(np.minimum(self.satisfied(joined.scale), 1.0), self.cutoff, joined)


@dataclass(frozen=True)
class ESL(Measure):
    """Expected search length: non-relevant documents read before the n-th relevant one (Cooper 1968); less is better.

    Documents that were not retrieved come last in random order: with s relevant ones still wanted, r relevant and i
    non-relevant judged documents left, i·s/(r + 1) more are expected. Unjudged documents count as non-relevant.
    Undefined where the pool has fewer than n relevant documents.
    """

    formula = "non-relevant documents read before the n-th relevant one"
    user = "reads on until n relevant documents were seen"
    reference = "Cooper 1968"

    n: int = whole(1, "how many relevant documents are wanted", least=1)
    rel: int = relevance()
    takes_cutoff = False
    needs_relevant = True
    bounded = False
    higher_is_better = False

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_length(self, joined, groups)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = int((pool >= self.rel).sum())
        if relevant < self.n:
            return float("nan")
        ranks = np.flatnonzero(grades >= self.rel) + 1
        if len(ranks) >= self.n:
            return float(ranks[self.n - 1] - self.n)
        found = len(ranks)
        others = is_judged(pool).sum() - relevant
        left = others - int((is_judged(grades) & (grades < self.rel)).sum())
        return float(len(grades) - found + left * (self.n - found) / (relevant - found + 1))
