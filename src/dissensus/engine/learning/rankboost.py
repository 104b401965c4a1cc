"""Kernels of RankBoost: how strongly the pairs not yet in order pull at each document, without visiting pairs; and the
feature and threshold that agree best with what the pairs want.

A pair (i above j) weighs exp(H_j − H_i), which splits into a factor of each document, so sums over the documents of
lower and of higher labels are all that is needed.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import jit


@jit(nogil=True)
def preference_weights(score, level, order, bounds, net_weight):  # type: ignore[no-untyped-def]
    """Fill `net_weight`: Σ over pairs that want a document up − Σ over those that want it down. The total pair weight.

    `order` lists each query's documents by ascending level; scores are shifted by each query's mean, which no pair
    can see, to keep the exponentials small.
    """
    total = 0.0
    for q in range(len(bounds) - 1):
        a, b = bounds[q], bounds[q + 1]
        mean = 0.0
        for d in range(a, b):
            mean += score[d]
        mean /= b - a
        below = 0.0  # Σ exp(H) over lower levels
        start = a
        while start < b:
            stop = start
            current = level[order[start]]
            here = 0.0
            while stop < b and level[order[stop]] == current:
                d = order[stop]
                up = np.exp(score[d] - mean)
                here += up
                net_weight[d] = below / up
                total += below / up
                stop += 1
            below += here
            start = stop
        above = 0.0  # Σ exp(−H) over higher levels
        stop = b
        while stop > a:
            start = stop
            current = level[order[stop - 1]]
            here = 0.0
            while start > a and level[order[start - 1]] == current:
                d = order[start - 1]
                down = np.exp(mean - score[d])
                here += down
                net_weight[d] -= above / down
                start -= 1
            above += here
            stop = start
    return total


@jit(nogil=True)
def best_threshold(bins, n_bins, net_weight):  # type: ignore[no-untyped-def]
    """(feature, bin, r): the weak ranker "bin of feature above `bin`" with the largest |Σ pull over those above|.

    `bins` is features × documents. Ties go to the first feature and bin.
    """
    sums = np.zeros(256)
    best_feature, best_bin, best = 0, 0, 0.0
    for f in range(bins.shape[0]):
        k = n_bins[f]
        if k < 2:
            continue
        for i in range(k):
            sums[i] = 0.0
        row = bins[f]
        for d in range(len(net_weight)):
            sums[row[d]] += net_weight[d]
        above = 0.0
        for i in range(k - 1, 0, -1):
            above += sums[i]
            if abs(above) > abs(best) + 1e-15:
                best_feature, best_bin, best = f, i - 1, above
    return best_feature, best_bin, best
