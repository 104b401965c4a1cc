"""Graded measures that only trec_eval has: binG and G (lost gain), Rndcg and ndcg_rel (nDCG at several depths)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.engine.sparse_walks import level_end_sums, lost_gain_sums, relevant_rank_sums, useless_above_sums
from dissensus.measures.linear import by_system, lengths, log_discount, over_pool, sparse_walk
from dissensus.measures.measure import Binary, Grades, Measure
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class WholeRanking(Measure):
    """What the measures here share: they go over the whole ranking, and divide by what the pool holds."""

    takes_cutoff = False
    needs_relevant = True


@dataclass(frozen=True)
class binG(WholeRanking, Binary):
    """(1/R) Σ over relevant retrieved documents of 1/log₂(2 + other documents above)."""

    formula = "(1/R) Σ over relevant retrieved of 1/log₂(2 + others above)"
    user = "loses interest with every useless document, by the logarithm of their number"
    reference = "trec_eval (binG)"

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        total, relevant = int((pool >= self.rel).sum()), grades >= self.rel
        above = np.cumsum(~relevant)[relevant]
        return float((1.0 / np.log2(2.0 + above)).sum() / total) if total else float("nan")

    def scores(self, joined: Joined) -> Floats:
        discount = log_discount(int(joined.length.max(initial=0)) + 1)
        sums = sparse_walk(joined, self.rel, useless_above_sums, discount)
        return over_pool(sums, joined, self.in_pool(joined))


@dataclass(frozen=True)
class OverIdealGrades(WholeRanking):
    """A measure that compares with the ideal ranking: undefined where the pool has no grade above 0."""

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        best = ideal_grades(pool)
        return self.over_ideal(grades, best) if len(best) else float("nan")

    def over_ideal(self, grades: Grades, best: Floats) -> float:
        """The score of one ranking, `best` being the grades of the ideal one."""
        raise NotImplementedError(f"{type(self).__name__} must define over_ideal()")


@dataclass(frozen=True)
class G(OverIdealGrades):
    """Σ_r g_r/log₂(2 + lost gain up to r) over the ideal's sum.

    Lost gain: what the ideal ranking has given up to r (at least 1 per rank, also below its end), minus what this one
    has.
    """

    formula = "Σ g_r/log₂(2 + Σ_{j≤r} max(i_j, 1) − Σ_{j≤r} g_j) / Σ i, i the ideal grades"
    user = "loses interest with every gain that the ideal ranking would have given"
    reference = "trec_eval (G)"

    def over_ideal(self, grades: Grades, best: Floats) -> float:
        gain = np.maximum(grades, 0).astype(np.float64)
        reachable = np.ones(len(gain))
        reachable[: len(best)] = np.maximum(best[: len(gain)], 1)
        return float((gain / np.log2(2 + np.cumsum(reachable) - np.cumsum(gain))).sum() / best.sum())

    def scores(self, joined: Joined) -> Floats:
        counts, low = joined.pool_counts, joined.scale.low
        best = counts @ np.maximum(joined.scale.grades, 0)  # (topic, assessor)
        most = int(joined.length.max(initial=0) + best.max(initial=0))
        discount = log_discount(most + 1)
        sums = sparse_walk(joined, 1, lost_gain_sums, joined.labels, low, joined.segment_topic, counts, discount)
        return over_pool(sums, joined, best)


@dataclass(frozen=True)
class RnDCG(OverIdealGrades):
    """Mean of nDCG at the ranks where a grade of the ideal ranking ends, and at the end of the run (Rndcg)."""

    formula = "mean of DCG_c/IDCG_c over the ends c of the ideal's grades, and c = N where N > R + 1"
    user = "reads as many results as there are documents of the best grades"
    reference = "trec_eval (Rndcg)"

    def over_ideal(self, grades: Grades, best: Floats) -> float:
        ratio = running_ndcg(grades, best)
        ends = [int(n) for n in np.cumsum([(best == g).sum() for g in sorted(set(best.tolist()), reverse=True)])]
        if len(grades) > ends[-1] + 1:
            ends.append(len(grades))
        return float(np.mean([ratio(c) for c in ends]))

    def scores(self, joined: Joined) -> Floats:
        ideal = IdealLevels.of(joined)
        with np.errstate(divide="ignore"):
            inverse = np.where(ideal.counts > 0, 1.0 / ideal.dcg, 0.0)
            whole = np.where(ideal.size > 0, 1.0 / ideal.dcg[..., -1], 0.0)
        shares = np.concatenate([inverse, whole[..., None]], axis=-1)
        sums = sparse_walk(
            joined, 1, level_end_sums, joined.labels, joined.scale.top, joined.segment_topic,
            joined.length, ideal.ends, shares, ideal.discount,
        )  # fmt: skip
        levels = (ideal.counts > 0).sum(axis=-1).T[:, None]
        depths = levels + (lengths(joined)[None] > ideal.size.T[:, None] + 1)
        return np.asarray(by_system(sums, joined) / np.where(levels > 0, depths, np.nan), np.float64)


@dataclass(frozen=True)
class nDCG_rel(OverIdealGrades):
    """nDCG averaged over the ranks of the relevant documents; those not retrieved count with the run's last value."""

    formula = "mean over relevant documents of DCG_r/IDCG_r at their ranks r"
    user = "stops at a relevant document chosen at random, and looks at nDCG there"
    reference = "trec_eval (ndcg_rel)"

    def over_ideal(self, grades: Grades, best: Floats) -> float:
        ratio, total = running_ndcg(grades, best), len(best)
        found = [ratio(int(r) + 1) for r in np.flatnonzero(grades > 0)]
        last = ratio(max(len(grades), total))
        return float((sum(found) + (total - len(found)) * last) / total)

    def scores(self, joined: Joined) -> Floats:
        ideal = IdealLevels.of(joined)
        sums = sparse_walk(
            joined, 1, relevant_rank_sums, joined.labels, joined.scale.top, joined.segment_topic,
            ideal.ends, ideal.gains, ideal.running, ideal.discount,
        )  # fmt: skip
        return over_pool(sums, joined, ideal.size)


@dataclass(frozen=True, eq=False)
class IdealLevels:
    """The ideal rankings of all topics and assessors, grade by grade, best first."""

    gains: Floats  # of each level
    counts: NDArray[np.int64]  # (topic, assessor, level)
    ends: NDArray[np.int64]  # the rank at which each level ends
    dcg: Floats  # of the ideal down to there
    discount: Floats  # by rank
    running: Floats  # running[c]: Σ of the discounts of ranks 1 … c

    @classmethod
    def of(cls, joined: Joined) -> IdealLevels:
        above = joined.scale.grades > 0
        gains = joined.scale.grades[above][::-1].astype(np.float64)
        counts = np.ascontiguousarray(joined.pool_counts[..., above][..., ::-1])
        ends = np.cumsum(counts, axis=-1)
        deepest = int(max(joined.length.max(initial=0), ends.max(initial=0)))
        discount = log_discount(deepest)
        running = np.concatenate([[0.0], np.cumsum(discount)])
        dcg = np.cumsum(gains * (running[ends] - running[ends - counts]), axis=-1)
        return cls(gains, counts, ends, dcg, discount, running)

    @property
    def size(self) -> NDArray[np.int64]:
        """R: documents above grade 0, (topic, assessor)."""
        return np.asarray(self.ends[..., -1], np.int64)


def ideal_grades(pool: Grades) -> Floats:
    """Grades above 0, best first."""
    return np.asarray(-np.sort(-pool[pool > 0].astype(np.float64)), np.float64)


class running_ndcg:
    """c → DCG_c/IDCG_c of a ranking, `best` the ideal grades; below its end the DCG stays as it is."""

    def __init__(self, grades: Grades, best: Floats) -> None:
        self.dcg = _running(np.maximum(grades, 0).astype(np.float64))
        self.ideal = _running(best)

    def __call__(self, c: int) -> float:
        return float(self.dcg[min(c, len(self.dcg) - 1)] / self.ideal[min(c, len(self.ideal) - 1)])


def _running(gain: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(gain / np.log2(np.arange(2, len(gain) + 2)))])
