"""trec_eval 10's `rbp` and `rbp_resid`, which are not Moffat & Zobel's: grades over the topic's best grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.measures.linear import by_system, geometric, lengths, weighted_sums
from dissensus.measures.measure import Grades, Measure, Ratio, is_judged
from dissensus.measures.parameters import number
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class GoesOn(Measure):
    """The user of both: at every document the chance to go on is p, down to the end of the ranking."""

    p: float = number(0.9, "probability to go on to the next document", above=0, below=1)
    takes_cutoff = False
    needs_relevant = False

    def weights(self, n: int) -> Floats:
        """The chance to stop at ranks 1 … n: (1 − p)·p^(r−1)."""
        return np.multiply(1.0 - self.p, geometric(self.p, n))


@dataclass(frozen=True)
class TrecRBP(GoesOn, Ratio):
    """(1 − p) Σ p^(r−1)·g_r/m, m the highest grade in the topic's pool, at least 1.

    >>> round(TrecRBP().score([2, 0, 3, 1, None, 0, 1]), 6)
    0.189681
    """

    formula = "(1 − p) Σ p^(r−1)·g_r/m, m the best grade in the pool"
    user = "goes on to the next result with probability p; the topic's best grade is worth 1"
    reference = "trec_eval 10 (rbp)"

    def values(self, scale: Scale) -> Floats:
        return scale.grades.astype(np.float64)

    def denominator(self, counts: NDArray[np.int64], n: NDArray[np.int64], scale: Scale) -> Floats:
        return np.asarray(np.maximum(np.where(counts > 0, scale.grades, 0).max(axis=-1), 1), np.float64)


@dataclass(frozen=True)
class TrecRBPResidual(GoesOn):
    """p^N + (1 − p) Σ over unjudged documents of p^(r−1); 0 where every retrieved document was judged.

    >>> round(TrecRBPResidual().score([2, 0, 3, 1, None, 0, 1]), 6)
    0.543907
    """

    formula = "p^N + (1 − p) Σ over unjudged documents of p^(r−1); 0 if there are none"
    user = "is rbp's: how much the labels of unjudged documents could add"
    reference = "trec_eval 10 (rbp_resid)"

    higher_is_better = False

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        unjudged = np.flatnonzero(~is_judged(grades))
        return float(self.p ** len(grades) + (1 - self.p) * (self.p**unjudged).sum()) if len(unjudged) else 0.0

    def scores(self, joined: Joined) -> Floats:
        n = int(joined.length.max(initial=0))
        start = np.zeros(len(joined.length), np.int64)
        graded = np.ones(len(joined.scale))
        judged = by_system(weighted_sums(joined, self.weights(n), start, graded), joined)
        count = by_system(weighted_sums(joined, np.ones(n), start, graded), joined)
        # p^N + (1 − p)Σ over all N ranks of p^(r−1) is 1
        return np.where(count < lengths(joined)[None], 1.0 - judged, 0.0)
