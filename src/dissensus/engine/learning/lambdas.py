"""Kernel of LambdaMART and NMCGMART: for every document, how strongly its pairs push it up or down.

For a pair of one query with gains g_i > g_j at ranks a, b of the current order,

    Δ = (g_i − g_j)·|δ(a) − δ(b)| / ideal,   λ = Δ·σ/(1 + exp(σ(s_i − s_j)))

is added to i and taken from j. As in LightGBM, Δ may be divided by 0.01 + |s_i − s_j| and each query's sums rescaled
(`norm`). δ comes from a table per query class; ranks from its end on have the discount 0 when `beyond` is 0, else
every rank has an entry. Only pairs with a document among the first `depth` ranks are looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.machine_code import jit

TABLE = 1 << 14
TABLE_END = 25.0  # the logistic curve is tabulated on [−TABLE_END, TABLE_END] and interpolated: off by less than 2e-7


def logistic_table() -> NDArray[np.float64]:
    """1 / (1 + exp(x)) at TABLE + 2 points of [−TABLE_END, TABLE_END]."""
    x = np.linspace(-TABLE_END, TABLE_END, TABLE + 1)
    return np.append(1.0 / (1.0 + np.exp(x)), 0.0)


@jit(nogil=True)
def _sort(order, spare, score, a, b):  # type: ignore[no-untyped-def]
    """Order rows a…b by descending score, ties by row: merge sort upwards from runs, fast when almost in order."""
    run = 12
    for start in range(a, b, run):
        stop = min(start + run, b)
        for i in range(start + 1, stop):
            d = order[i]
            s = score[d]
            j = i - 1
            while j >= start and (score[order[j]] < s or (score[order[j]] == s and order[j] > d)):
                order[j + 1] = order[j]
                j -= 1
            order[j + 1] = d
    while run < b - a:
        start = a
        while start + run < b:
            middle = start + run
            stop = min(middle + run, b)
            left, right = order[middle - 1], order[middle]
            if score[left] < score[right] or (score[left] == score[right] and left > right):
                for i in range(start, middle):
                    spare[i] = order[i]
                i, j, k = start, middle, start
                while i < middle:
                    if j < stop:
                        one, two = spare[i], order[j]
                        if score[two] > score[one] or (score[two] == score[one] and two < one):
                            order[k] = two
                            j += 1
                            k += 1
                            continue
                    order[k] = spare[i]
                    i += 1
                    k += 1
            start = stop
        run *= 2


@jit(nogil=True)
def lambdas(  # type: ignore[no-untyped-def]
    score, gain, bounds, first, last, kind, discount, inverse_ideal, depth, sigma, norm, table, order, spare, grad, hess
):
    """Fill gradient and hessian of queries first…last−1; `order` keeps each query's ranking between calls."""
    steps = TABLE / (2.0 * TABLE_END)
    ends = discount.shape[1]
    for q in range(first, last):
        a, b = bounds[q], bounds[q + 1]
        for i in range(a, b):
            grad[i] = 0.0
            hess[i] = 0.0
        scale = inverse_ideal[q]
        if scale == 0.0 or b - a < 2:
            continue
        _sort(order, spare, score, a, b)
        delta = discount[kind[q]]
        spread = score[order[a]] != score[order[b - 1]]
        total = 0.0
        for r in range(min(depth, b - a - 1)):
            top = order[a + r]
            top_gain = gain[top]
            top_score = score[top]
            top_delta = delta[r] if r < ends else 0.0
            grad_top = 0.0
            hess_top = 0.0
            for p in range(r + 1, b - a):
                low = order[a + p]
                gap = top_gain - gain[low]
                if gap == 0.0:
                    continue
                change = top_delta - (delta[p] if p < ends else 0.0)
                away = top_score - score[low]  # never below zero: `top` stands higher
                weight = abs(gap * change) * scale
                if norm and spread:
                    weight /= 0.01 + away
                x = sigma * (away if gap > 0.0 else -away)
                if x >= TABLE_END:
                    miss = 0.0
                elif x <= -TABLE_END:
                    miss = 1.0
                else:
                    at = (x + TABLE_END) * steps
                    i = int(at)
                    miss = table[i] + (at - i) * (table[i + 1] - table[i])
                push = sigma * weight * miss
                curve = sigma * sigma * weight * miss * (1.0 - miss)
                total += 2.0 * push
                if gap < 0.0:
                    push = -push
                grad_top -= push
                hess_top += curve
                grad[low] += push
                hess[low] += curve
            grad[top] += grad_top
            hess[top] += hess_top
        if norm and total > 0.0:
            factor = np.log2(1.0 + total) / total
            for i in range(a, b):
                grad[i] *= factor
                hess[i] *= factor
