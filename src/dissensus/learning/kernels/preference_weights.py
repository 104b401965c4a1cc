"""Kernel of RankBoost: how strongly the pairs not yet in order pull at each document, without visiting pairs.

A pair (i above j) weighs exp(H_j − H_i), which splits into a factor of each document, so sums over the documents of
lower and of higher labels are all that is needed.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def preference_weights(score, level, order, bounds, pull):  # type: ignore[no-untyped-def]
    """Fill `pull` with Σ over pairs that want the document up − Σ over pairs that want it down; total pair weight.

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
                pull[d] = below / up
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
                pull[d] -= above / down
                start -= 1
            above += here
            stop = start
    return total
