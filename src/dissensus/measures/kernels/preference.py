"""bpref for every ranking and every assessor: relevant documents against judged non-relevant ones above them."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def bpref_sums(lo, hi, first, last, hit_item, labels, rel, bound, relevant, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant hits of 1 − min(n, R)/min(N, R); bound[s, a] = min(N, R), relevant[s, a] = R."""
    n_assessors = labels.shape[1]
    above = np.zeros(n_assessors)
    for s in range(lo, hi):
        above[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for a in range(n_assessors):
                label = labels[item, a]
                if label >= rel:
                    if above[a] > 0.0:
                        out[s, a] += 1.0 - min(above[a], relevant[s, a]) / bound[s, a]
                    else:
                        out[s, a] += 1.0
                elif label >= 0:
                    above[a] += 1.0
