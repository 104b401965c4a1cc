"""Kernel of RankSVM: squared hinge loss over all pairs and its gradient, without visiting a pair.

Documents of a query are walked in the order of their scores; a Fenwick tree over their labels holds, for all documents
within the margin, how many there are, the sum of their scores and of their squares: O(n log n) instead of O(n²).
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import jit


@jit(nogil=True)
def _add(count, total, square, level, score, last):  # type: ignore[no-untyped-def]
    i = level
    while i <= last:
        count[i] += 1.0
        total[i] += score
        square[i] += score * score
        i += i & -i


@jit(nogil=True)
def squared_hinge(score, level, order, bounds, gradient):  # type: ignore[no-untyped-def]
    """Σ max(0, 1 − (s_i − s_j))² over pairs with level i above level j; its gradient by document is filled in.

    `level` counts from 1 within each query; `order` lists each query's documents by ascending score.
    """
    size = 0
    for i in range(len(level)):
        size = max(size, level[i])
    count = np.zeros(size + 1)
    total = np.zeros(size + 1)
    square = np.zeros(size + 1)
    loss = 0.0
    for q in range(len(bounds) - 1):
        a, b = bounds[q], bounds[q + 1]
        last = 0
        for at in range(a, b):
            last = max(last, level[at])
            gradient[at] = 0.0
        if last < 2:
            continue
        # documents that should stand above others: those others with a score above s − 1
        for i in range(last + 1):
            count[i] = total[i] = square[i] = 0.0
        entering = b - 1
        for at in range(b - 1, a - 1, -1):
            d = order[at]
            s = score[d]
            while entering >= a and score[order[entering]] > s - 1.0:
                e = order[entering]
                _add(count, total, square, level[e], score[e], last)
                entering -= 1
            n = t = t2 = 0.0
            i = level[d] - 1
            while i > 0:
                n += count[i]
                t += total[i]
                t2 += square[i]
                i -= i & -i
            loss += n * (1.0 - s) * (1.0 - s) + 2.0 * (1.0 - s) * t + t2
            gradient[d] -= 2.0 * (n * (1.0 - s) + t)
        # documents that should stand below others: levels turned round, scores below s + 1
        for i in range(last + 1):
            count[i] = total[i] = square[i] = 0.0
        entering = a
        for at in range(a, b):
            d = order[at]
            s = score[d]
            while entering < b and score[order[entering]] < s + 1.0:
                e = order[entering]
                _add(count, total, square, last + 1 - level[e], score[e], last)
                entering += 1
            n = t = 0.0
            i = last - level[d]
            while i > 0:
                n += count[i]
                t += total[i]
                i -= i & -i
            gradient[d] += 2.0 * (n * (1.0 + s) - t)
    return loss
