"""Users who read down and stop when satisfied, for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def cascade_sums(lo, hi, first, last, hit_rank, hit_item, labels, stops, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ_r (1/r)·x_r·Π_{i<r}(1 − x_i), x = stops[label + 128] the probability to be satisfied."""
    n_assessors = labels.shape[1]
    reading = np.empty(n_assessors)
    for s in range(lo, hi):
        reading[:] = 1.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for a in range(n_assessors):
                x = stops[np.int64(labels[item, a]) + 128]
                out[s, a] += reading[a] * x * inverse
                reading[a] *= 1.0 - x
