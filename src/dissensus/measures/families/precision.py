"""Precision and its kin: binary relevance, counted.

A document is relevant if its grade is at least `rel` (default 1). P@k divides by k and Rprec by R, for short rankings
too; R is the number of relevant documents in the pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.engine.walks import interpolated, relevant_within
from dissensus.measures.linear import by_system, relevant_found, walk
from dissensus.measures.measure import Binary, Grades, Linear, Measure, Ratio, relevant_count
from dissensus.measures.parameters import choice, number, relevance
from dissensus.measures.ties import expected_first, expected_rprec
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.measures.ties import TieGroups
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class P(Binary, Linear):
    """Precision: the share of the first k documents that is relevant.

    >>> P(cutoff=5).score([1, 0, 1])
    0.4
    """

    formula = "|relevant in the first k| / k"
    user = "reads exactly k results and counts the relevant ones"
    reference = "Cleverdon 1967"

    needs_cutoff = True

    def weights(self, n: int) -> Floats:
        assert self.cutoff is not None
        return np.full(n, 1.0 / self.cutoff)


@dataclass(frozen=True)
class Judged(Linear):
    """The share of the first k documents (without k: of all) that has a grade: how much of the answer was looked at."""

    formula = "|judged in the first k| / k"
    user = "is not modelled: the share of results that were judged at all"
    reference = "Sakai 2007"

    def weights(self, n: int) -> Floats:
        return np.full(n, 1.0 / (self.cutoff or max(n, 1)))

    def values(self, scale: Scale) -> Floats:
        return np.ones(len(scale))


@dataclass(frozen=True)
class R(Binary, Ratio):
    """Recall: the share of the topic's relevant documents that is among the first k."""

    formula = "|relevant in the first k| / R"
    user = "reads k results and asks what share of everything relevant was there"
    reference = "Cleverdon 1967"

    needs_cutoff = True

    def weights(self, n: int) -> Floats:
        return np.ones(n)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        return relevant_count(counts, self.rel, scale).astype(float)


@dataclass(frozen=True)
class Fallout(R):
    """The share of the topic's judged non-relevant documents that is among the first k; less is better."""

    formula = "|non-relevant in the first k| / |judged non-relevant|"
    user = "reads k results and counts what was shown in vain"

    higher_is_better = False

    def values(self, scale: Scale) -> Floats:
        return (scale.grades < self.rel).astype(float)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        others: NDArray[np.int64] = counts.sum(axis=-1) - relevant_count(counts, self.rel, scale)
        return others.astype(np.float64)


@dataclass(frozen=True)
class Success(Binary):
    """1 if a relevant document is among the first k (without k: was retrieved at all), else 0. Also called hit rate."""

    formula = "1 if a relevant document is in the first k, else 0"
    user = "is content with one relevant document among k"
    reference = "Craswell & Hawking 2004"

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float((grades[: self.cutoff] >= self.rel).any())

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_first(self, joined, groups)[1]

    def scores(self, joined: Joined) -> Floats:
        return np.asarray(relevant_found(self.rel, self.cutoff, joined) > 0, float)


@dataclass(frozen=True)
class Rprec(Binary, Ratio):
    """Precision at rank R, the number of relevant documents in the pool; `mult=x`: at rank int(x·R + 0.9).

    >>> Rprec().score([1, 0, 1], pool=[1, 1, 1, 0])
    0.6666666666666666
    """

    formula = "|relevant in the first R| / R"
    user = "reads as many results as there are relevant documents"
    reference = "Buckley & Voorhees 2000; trec_eval (Rprec, Rprec_mult)"

    mult: float = number(1.0, "multiple x of R at which precision is taken", above=0)
    takes_cutoff = False

    def ranks(self, relevant: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many ranks count for pools with so many relevant documents."""
        return relevant if self.mult == 1.0 else np.floor(self.mult * relevant + 0.9).astype(np.int64)

    def weights(self, n: int) -> Floats:
        return np.ones(n)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        relevant = relevant_count(counts, self.rel, scale)
        return np.where(relevant > 0, self.ranks(relevant), 0).astype(float)

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_rprec(self, joined, groups)

    def linear_form(self, counts: NDArray[np.int64], n: int, scale: Scale) -> tuple[Floats, Floats]:
        depth = int(self.denominator(np.asarray(counts), np.array(n), scale))
        weights = np.zeros(n)
        weights[:depth] = 1.0 / depth if depth else np.nan
        return (weights if depth else np.full(n, np.nan)), self.values(scale)

    def scores(self, joined: Joined) -> Floats:
        depth = self.ranks(self.in_pool(joined))[joined.segment_topic]
        found = joined.relevant if self.rel > 0 else joined
        sums = walk(found, relevant_within, found.hit_rank, found.hit_item, found.labels, np.int8(self.rel), depth)
        return np.divide(by_system(sums, joined), self.denominators(joined))


@dataclass(frozen=True)
class IPrec(Measure):
    """Interpolated precision at a recall level: the best precision at any rank from where that recall is reached.

    Written IPrec@0.1. "Reached" means int(level·R + 0.9) relevant documents, as in trec_eval 9; trec_eval 10 rounds
    level·R to the nearest whole number instead: `rounding="v10"`.
    """

    formula = "max precision at any rank where recall is at least r"
    user = "reads on until a share r of the relevant documents was seen"
    reference = "trec_eval"

    level: float = number(0.0, "recall level, written after the @", least=0, most=1)
    rel: int = relevance()
    rounding: str = choice("v9", "how trec_eval 9 or 10 rounds level·R", "v9", "v10")
    takes_cutoff = False
    written_after = "level"
    needs_relevant = True

    @classmethod
    def variant(cls, given: dict[str, object]) -> type[Measure]:
        if "recall" in given:  # ir-measures' name of the parameter
            given["level"] = given.pop("recall")
        return cls

    def needed(self, relevant: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many relevant documents make up the recall level."""
        exact = self.level * relevant
        return np.asarray(np.floor(exact + (0.9 if self.rounding == "v9" else 0.5)), np.int64)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = pool >= self.rel
        if not relevant.any():
            return float("nan")
        found = np.cumsum(grades >= self.rel)
        precision = found / np.arange(1, len(grades) + 1)
        return float(precision[found >= self.needed(relevant.sum())].max(initial=0.0))

    def scores(self, joined: Joined) -> Floats:
        relevant = self.in_pool(joined)
        needed = self.needed(relevant)[joined.segment_topic]
        out = by_system(
            walk(joined, interpolated, joined.hit_rank, joined.hit_item, joined.labels, np.int8(self.rel), needed),
            joined,
        )
        return np.where(relevant.T[:, None] > 0, out, np.nan)
