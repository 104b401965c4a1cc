"""Inferred AP: average precision estimated where only a sample of the pool was judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.engine.compiled import compiled
from dissensus.measures.linear import over_pool, walk
from dissensus.measures.measure import Binary, Floats, Grades
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


# ── the loop ──
@compiled
def inferred_sums(lo, hi, first, last, hit_rank, hit_item, labels, rel, smoothing, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant ranks k of 1/k + (m/k)·(a + ε)/(a + b + 2ε)."""
    n_assessors = labels.shape[1]
    above = np.empty((3, n_assessors))
    pooled, relevant, other = above[0], above[1], above[2]
    for s in range(lo, hi):
        above[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for a in range(n_assessors):
                label = labels[item, a]
                if label >= rel:
                    share = (relevant[a] + smoothing) / (relevant[a] + other[a] + 2.0 * smoothing)
                    out[s, a] += inverse * (1.0 + pooled[a] * share)
                    relevant[a] += 1.0
                elif label >= 0:
                    other[a] += 1.0
                if label > -128:
                    pooled[a] += 1.0
