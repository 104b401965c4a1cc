"""Measures that only trec_eval has: geometric means, 11pt_avg, binG and G, Rndcg and ndcg_rel, utility, unj."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from dissensus.data.tables.scale import Scale
from dissensus.errors import MeasureError
from dissensus.measures.average import AP
from dissensus.measures.measure import Floats, Grades, Measure, count_grades, is_judged, relevant_count
from dissensus.measures.parameters import choice, number, numbers, relevance, whole
from dissensus.measures.precision import IPrec, Judged
from dissensus.measures.preference import Bpref

if TYPE_CHECKING:
    from dissensus.data.tables.collection import Joined
    from dissensus.measures.ties import TieGroups

FLOOR = 1e-5  # trec_eval's least score under a geometric mean
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


# ── geometric means ──
@dataclass(frozen=True)
class GMAP(AP):
    """AP, at least 1e-5, averaged geometrically over topics: topics that fail count more."""

    formula: ClassVar[str] = "exp(mean ln max(AP, 1e-5))"
    user: ClassVar[str] = "does what AP's user does; topics that fail count more"
    reference: ClassVar[str] = "Robertson 2006; trec_eval (gm_map)"
    takes_cutoff: ClassVar[bool] = False
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "geometric"
    when_empty: ClassVar[float] = FLOOR

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return None  # the floor is not linear

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        return {suffix: np.maximum(values, FLOOR) for suffix, values in super().bounds(joined).items()}

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.maximum(super().compute(grades, pool, scale), FLOOR))

    def scores(self, joined: Joined) -> Floats:
        return np.maximum(super().scores(joined), FLOOR)


@dataclass(frozen=True)
class GMBpref(Bpref):
    """bpref, at least 1e-5, averaged geometrically over topics."""

    formula: ClassVar[str] = "exp(mean ln max(bpref, 1e-5))"
    user: ClassVar[str] = "does what bpref's user does; topics that fail count more"
    reference: ClassVar[str] = "trec_eval (gm_bpref)"
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "geometric"
    when_empty: ClassVar[float] = FLOOR

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.maximum(super().compute(grades, pool, scale), FLOOR))

    def scores(self, joined: Joined) -> Floats:
        return np.maximum(super().scores(joined), FLOOR)


# ── recall ──
@dataclass(frozen=True)
class IPrecAvg(Measure):
    """Mean interpolated precision over recall levels, by default 0, 0.1, …, 1 (trec_eval's 11pt_avg)."""

    formula: ClassVar[str] = "mean of IPrec over the levels"
    user: ClassVar[str] = "wants some share of the relevant documents, each of the levels with equal chances"
    reference: ClassVar[str] = "trec_eval (11pt_avg)"

    levels: tuple[float, ...] = numbers(LEVELS, "recall levels", least=0, most=1)
    rel: int = relevance()
    rounding: str = choice("v9", "how trec_eval 9 or 10 rounds level·R", "v9", "v10")
    takes_cutoff: ClassVar[bool] = False
    needs_relevant: ClassVar[bool] = True

    def points(self) -> list[IPrec]:
        """The measures that are averaged."""
        return [IPrec(level=level, rel=self.rel, rounding=self.rounding) for level in self.levels]

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.mean([point.compute(grades, pool, scale) for point in self.points()]))

    def scores(self, joined: Joined) -> Floats:
        return np.asarray(np.mean([point.scores(joined) for point in self.points()], axis=0), np.float64)


# ── gains ──
@dataclass(frozen=True)
class binG(Measure):
    """(1/R) Σ over relevant retrieved documents of 1/log₂(2 + other documents above)."""

    formula: ClassVar[str] = "(1/R) Σ over relevant retrieved of 1/log₂(2 + others above)"
    user: ClassVar[str] = "loses interest with every useless document, by the logarithm of their number"
    reference: ClassVar[str] = "trec_eval (binG)"

    rel: int = relevance()
    takes_cutoff: ClassVar[bool] = False
    needs_relevant: ClassVar[bool] = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        total = int(relevant_count(count_grades(pool, scale), self.rel, scale))
        relevant = grades >= self.rel
        above = np.cumsum(~relevant)[relevant]
        return float((1.0 / np.log2(2.0 + above)).sum() / total) if total else float("nan")


@dataclass(frozen=True)
class G(Measure):
    """Σ_r g_r/log₂(2 + lost gain up to r) over the ideal's sum.

    Lost gain: what the ideal ranking has given up to r (at least 1 per rank, also below its end), minus what this one
    has.
    """

    formula: ClassVar[str] = "Σ g_r/log₂(2 + Σ_{j≤r} max(i_j, 1) − Σ_{j≤r} g_j) / Σ i, i the ideal grades"
    user: ClassVar[str] = "loses interest with every gain that the ideal ranking would have given"
    reference: ClassVar[str] = "trec_eval (G)"

    takes_cutoff: ClassVar[bool] = False
    needs_relevant: ClassVar[bool] = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        best = ideal_grades(pool)
        if not best.sum():
            return float("nan")
        gain = np.maximum(grades, 0).astype(np.float64)
        reachable = np.ones(len(gain))
        reachable[: len(best)] = np.maximum(best[: len(gain)], 1)
        return float((gain / np.log2(2 + np.cumsum(reachable) - np.cumsum(gain))).sum() / best.sum())


@dataclass(frozen=True)
class RnDCG(Measure):
    """Mean of nDCG at the ranks where a grade of the ideal ranking ends, and at the end of the run (Rndcg)."""

    formula: ClassVar[str] = "mean of DCG_c/IDCG_c over the ends c of the ideal's grades, and c = N where N > R + 1"
    user: ClassVar[str] = "reads as many results as there are documents of the best grades"
    reference: ClassVar[str] = "trec_eval (Rndcg)"

    takes_cutoff: ClassVar[bool] = False
    needs_relevant: ClassVar[bool] = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        ratio = running_ndcg(grades, pool)
        best = ideal_grades(pool)
        if not len(best):
            return float("nan")
        ends = [int(n) for n in np.cumsum([(best == g).sum() for g in sorted(set(best.tolist()), reverse=True)])]
        if len(grades) > ends[-1] + 1:
            ends.append(len(grades))
        return float(np.mean([ratio(c) for c in ends]))


@dataclass(frozen=True)
class nDCG_rel(Measure):
    """nDCG averaged over the ranks of the relevant documents; those not retrieved count with the run's last value."""

    formula: ClassVar[str] = "mean over relevant documents of DCG_r/IDCG_r at their ranks r"
    user: ClassVar[str] = "stops at a relevant document chosen at random, and looks at nDCG there"
    reference: ClassVar[str] = "trec_eval (ndcg_rel)"

    takes_cutoff: ClassVar[bool] = False
    needs_relevant: ClassVar[bool] = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        ratio = running_ndcg(grades, pool)
        total = len(ideal_grades(pool))
        if not total:
            return float("nan")
        found = [ratio(int(r) + 1) for r in np.flatnonzero(grades > 0)]
        last = ratio(max(len(grades), total))
        return float((sum(found) + (total - len(found)) * last) / total)


def ideal_grades(pool: Grades) -> Floats:
    """Grades above 0, best first."""
    return np.asarray(-np.sort(-pool[pool > 0].astype(np.float64)), np.float64)


class running_ndcg:
    """c → DCG_c/IDCG_c of a ranking; below its end the DCG stays as it is."""

    def __init__(self, grades: Grades, pool: Grades) -> None:
        self.dcg = _running(np.maximum(grades, 0).astype(np.float64))
        self.ideal = _running(ideal_grades(pool))

    def __call__(self, c: int) -> float:
        return float(self.dcg[min(c, len(self.dcg) - 1)] / self.ideal[min(c, len(self.ideal) - 1)])


def _running(gain: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(gain / np.log2(np.arange(2, len(gain) + 2)))])


# ── sets and unjudged documents ──
@dataclass(frozen=True)
class Utility(Measure):
    """a·(relevant retrieved) + b·(others retrieved) + c·(relevant missed) + d·(all other documents of the collection).

    `documents`, the size of the collection, is needed where d is not 0.
    """

    formula: ClassVar[str] = "a·|rel. retrieved| + b·|others retrieved| + c·|rel. missed| + d·|rest of the collection|"
    user: ClassVar[str] = "pays for every document that is shown and every relevant one that is not"
    reference: ClassVar[str] = "trec_eval (utility)"

    a: float = number(1.0, "value of a relevant document retrieved")
    b: float = number(-1.0, "value of another document retrieved")
    c: float = number(0.0, "value of a relevant document missed")
    d: float = number(0.0, "value of every other document of the collection")
    documents: int | None = whole(None, "documents of the collection", optional=True, least=1)
    rel: int = relevance()
    takes_cutoff: ClassVar[bool] = False
    bounded: ClassVar[bool] = False
    order_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d and self.documents is None:
            raise MeasureError(
                f"{self}: d counts documents of the collection, whose number is missing.",
                "Add documents=528155, for example.",
            )

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        found = float((grades >= self.rel).sum())
        relevant = float(relevant_count(count_grades(pool, scale), self.rel, scale))
        return float(self._sum(np.array(found), np.array(relevant), np.array(float(len(grades)))))

    def scores(self, joined: Joined) -> Floats:
        from dissensus.measures.average import relevant_found
        from dissensus.measures.linear import lengths

        relevant = relevant_count(joined.pool_counts, self.rel, joined.scale).T[:, None].astype(np.float64)
        return self._sum(relevant_found(self.rel, None, joined), relevant, lengths(joined)[None].astype(np.float64))

    def _sum(self, found: Floats, relevant: Floats, n: Floats) -> Floats:
        rest = (self.documents or 0) + found - n - relevant
        total = self.a * found + self.b * (n - found) + self.c * (relevant - found) + self.d * rest
        return np.asarray(total, np.float64)


@dataclass(frozen=True)
class Unjudged(Measure):
    """The share of the first k ranks that hold a document without a grade (trec_eval's unj); less is better.

    >>> Unjudged(cutoff=5).score([2, 0, 3, 1, None, 0, 1])
    0.2
    """

    formula: ClassVar[str] = "|unjudged in the first k| / k"
    user: ClassVar[str] = "is not modelled: the share of results that were not judged"
    reference: ClassVar[str] = "trec_eval 10 (unj)"

    needs_cutoff: ClassVar[bool] = True
    higher_is_better: ClassVar[bool] = False

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        assert self.cutoff is not None
        return float((~is_judged(grades[: self.cutoff])).sum() / self.cutoff)

    def scores(self, joined: Joined) -> Floats:
        from dissensus.measures.linear import lengths

        assert self.cutoff is not None
        shown = np.minimum(lengths(joined), self.cutoff)[None] / self.cutoff
        return np.asarray(np.maximum(shown - Judged(cutoff=self.cutoff).scores(joined), 0.0), np.float64)
