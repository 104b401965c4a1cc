"""Inferred AP: average precision estimated where only a sample of the pool was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.walks import inferred_sums
from dissensus.measures.linear import over_pool, walk
from dissensus.measures.measure import Binary, Grades
from dissensus.tables.scale import UNJUDGED, Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined

SMOOTHING = 1e-5  # trec_eval's ε


@dataclass(frozen=True)
class infAP(Binary):
    """AP where a document that was pooled but not judged (grade below zero) is relevant as often as judged ones above.

    infAP = (1/R) Σ over relevant ranks k of 1/k + (m/k)·(a + ε)/(a + b + 2ε): of the k − 1 documents above, m were
    pooled, a are relevant, b are judged and not relevant; ε = 1e-5.

    >>> round(infAP().score([1, -1, None, 0, -1, 1], pool=[1, -1, 0, -1, 1, 1]), 6)
    0.5
    """

    formula = "(1/R) Σ over relevant ranks k of 1/k + (m/k)·(a+ε)/(a+b+2ε)"
    user = "does what AP's user does; precision is estimated from the judged sample"
    reference = "Yilmaz & Aslam 2006"

    takes_cutoff = False
    needs_relevant = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        total = int((pool >= self.rel).sum())
        if not total:
            return float("nan")
        score, pooled, relevant, other = 0.0, 0, 0, 0
        for k, g in enumerate(grades.tolist(), start=1):
            if g >= self.rel:
                share = (relevant + SMOOTHING) / (relevant + other + 2 * SMOOTHING)
                score += 1 / k + pooled / k * share
                relevant += 1
            elif g >= 0:
                other += 1
            pooled += g != UNJUDGED
        return float(score / total)

    def scores(self, joined: Joined) -> Floats:
        sums = walk(
            joined, inferred_sums, joined.hit_rank, joined.hit_item, joined.labels, np.int8(self.rel), SMOOTHING
        )
        return over_pool(sums, joined, self.in_pool(joined))
