"""Inferred AP for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def inferred_sums(lo, hi, first, last, hit_rank, hit_item, labels, rel, smoothing, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant ranks k of 1/k + (m/k)·(a + ε)/(a + b + 2ε)."""
    n_assessors = labels.shape[1]
    pooled = np.empty(n_assessors)
    relevant = np.empty(n_assessors)
    other = np.empty(n_assessors)
    for s in range(lo, hi):
        pooled[:] = 0.0
        relevant[:] = 0.0
        other[:] = 0.0
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
