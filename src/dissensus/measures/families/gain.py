"""Cumulated gain: what the documents are worth, discounted by how far down they are.

CG, DCG and RBP are linear; NCG and nDCG divide by the same sum over the ideal ranking of the whole pool, cut at k where
the measure is (never at the length of the run).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import MeasureError
from dissensus.measures.linear import geometric, log_discount
from dissensus.measures.measure import Linear, Measure, Ratio, cut
from dissensus.measures.parameters import choice, gain_table, gains_of, number, relevance, table
from dissensus.tables.scale import Scale

DISCOUNTS = ("log2", "jk", "zipf")
EXPONENTIAL = ("exp-log2", "exp-jk", "exp-zipf")


@dataclass(frozen=True)
class Cumulated(Ratio):
    """What all of them share: every rank weighs the same, a grade is worth itself or what `gains=` says.

    Divided by the ideal, unless `Linear` is named before it (CG, DCG).
    """

    reference = "Järvelin & Kekäläinen 2002"

    gains: Any = table("gain of each grade")  # noqa: RUF009

    def weights(self, n: int) -> Floats:
        return np.ones(n)

    def values(self, scale: Scale) -> Floats:
        return scale.grades.astype(float) if self.gains is None else gain_table(self.gains, scale, self)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        return ideal_of(self, counts, scale)

    def relevant_from(self, scale: Scale) -> int:
        worth = np.flatnonzero(self.values(scale) > 0)
        return int(scale.low + worth[0]) if len(worth) else int(scale.top + 1)


@dataclass(frozen=True)
class Discounted(Cumulated):
    """What DCG and nDCG share: the discount by rank and the gain by grade, both named by `dcg`."""

    dcg: str = choice("log2", "discount by rank; with exp- the gain is 2^g − 1", *DISCOUNTS, *EXPONENTIAL)
    base: float = number(2.0, "base of the logarithm of dcg='jk'", above=1)

    def weights(self, n: int) -> Floats:
        rank: Floats = np.arange(1, n + 1, dtype=np.float64)
        match self.dcg.removeprefix("exp-"):
            case "log2":
                return log_discount(n)
            case "jk":
                slower: Floats = np.maximum(1.0, np.log(rank) / np.log(self.base))
                return 1.0 / slower
            case _:
                return 1.0 / rank

    def values(self, scale: Scale) -> Floats:
        if self.gains is None and self.dcg.startswith("exp-"):
            return np.exp2(scale.grades.astype(np.float64)) - 1.0
        return super().values(scale)


@dataclass(frozen=True)
class CG(Linear, Cumulated):
    """Cumulated gain: Σ gain of the first k documents (Järvelin & Kekäläinen 2002)."""

    formula = "Σ_{r≤k} gain(g_r)"
    user = "reads k results and adds up their gains"

    bounded = False


@dataclass(frozen=True)
class DCG(Linear, Discounted):
    """Discounted cumulated gain: Σ gain(g_i)·discount(i) (Järvelin & Kekäläinen 2002).

    `dcg` names discount and gain: 'log2' 1/log₂(i+1), 'jk' 1/max(1, log_base i), 'zipf' 1/i; with 'exp-' before it the
    gain is 2^g − 1 instead of g. A table `gains=` replaces the gain.

    >>> round(DCG(dcg="jk").score([0, 0, 1, 1, 1]), 4)
    1.5616
    """

    formula = "Σ_{r≤k} gain(g_r)·discount(r)"
    user = "loses interest slowly, by the logarithm of the rank"

    bounded = False


def ideal(counts: NDArray[np.int64], values: Floats, weights: Floats) -> Floats:
    """Σ w·v over the best ordering of pools with `counts[..., grade]` documents, for weights that do not rise.

    Grades by value, best first: those of one grade fill ranks a+1…b and are worth v·(W(b) − W(a)), W the running sum of
    weights. Documents worth less than nothing are left out.
    """
    running = np.concatenate([[0.0], np.cumsum(weights)])
    order = [g for g in np.argsort(-values, kind="stable") if values[g] > 0]
    total = np.zeros(counts.shape[:-1])
    reached = np.zeros(counts.shape[:-1], np.int64)
    for g in order:
        upto = np.minimum(reached + counts[..., g], len(weights))
        total += values[g] * (running[upto] - running[reached])
        reached = upto
    return total


@dataclass(frozen=True)
class nDCG(Discounted):
    """Normalised DCG: DCG over the DCG of the ideal ranking of all judged documents, cut at k.

    >>> round(nDCG(cutoff=10).score([2, 0, 1], pool=[2, 1, 1, 0, 0]), 4)
    0.7985
    """

    formula = "DCG / DCG of the ideal ranking"
    user = "loses interest slowly, and compares with the best possible ranking"


@dataclass(frozen=True)
class NCG(Cumulated):
    """Normalised cumulated gain: CG over the CG of the ideal ranking, cut at k."""

    formula = "CG / CG of the ideal ranking"
    user = "reads k results and compares their gains with the best possible"


def over_ideal(measure: Measure) -> bool:
    """Are gains divided by those of the ideal ranking, as in nDCG?"""
    return isinstance(measure, Cumulated) and not isinstance(measure, Linear)


def ideal_of(measure: Cumulated, counts: NDArray[np.int64], scale: Scale) -> Floats:
    """The ideal of a measure for pools with `counts[..., grade]` documents."""
    depth = int(counts.sum(axis=-1).max(initial=0))
    return ideal(counts, measure.values(scale), cut(measure.weights(depth), measure.cutoff))


@dataclass(frozen=True)
class RBP(Linear):
    """Rank-biased precision: what a user sees who goes on with probability p (Moffat & Zobel 2008).

    RBP = (1 − p) Σ p^(r−1)·relevant(r). Binary (relevant: grade `rel` or above); graded only with `gains=` between 0
    and 1.
    """

    formula = "(1 − p) Σ_r p^(r−1)·v(g_r)"
    user = "goes on to the next result with probability p"
    reference = "Moffat & Zobel 2008"

    p: float = number(0.8, "probability to go on to the next document", above=0, below=1)
    rel: int = relevance()
    gains: Any = table("gain of each grade")  # noqa: RUF009
    always_written = ("p",)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is not None and not all(0 <= v <= 1 for _, v in gains_of(self.gains)):
            raise MeasureError(
                f"{self}: the gains of RBP must lie between 0 and 1; otherwise it is not rank-biased precision."
            )

    def weights(self, n: int) -> Floats:
        return np.multiply(1.0 - self.p, geometric(self.p, n))

    def values(self, scale: Scale) -> Floats:
        return super().values(scale) if self.gains is None else gain_table(self.gains, scale, self)
