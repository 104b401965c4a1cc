"""Loops over orders of systems: pairs in order and overlaps of tied orders."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.compiled import compiled


@compiled
def add_overlaps(x_first, x_last, y_first, y_last, share, beyond, k, rbo, top):  # type: ignore[no-untyped-def]
    """Add every item's part of Σ_d share_d X_d to `rbo`, and of X_k to `top`, row by row; see `overlaps`."""
    for row in range(x_first.shape[0]):
        for item in range(x_first.shape[1]):
            a, b, c, d = x_first[row, item], x_last[row, item], y_first[row, item], y_last[row, item]
            end = max(b, d)
            for depth in range(max(a, c), end):
                both = min((depth - a + 1) / (b - a + 1), 1.0) * min((depth - c + 1) / (d - c + 1), 1.0)
                rbo[row] += both * share[depth - 1]
                if depth == k:
                    top[row] += both
            rbo[row] += beyond[end - 1]
            if end <= k:
                top[row] += 1.0


# A Fenwick tree over the reference's ranks, O(n log n) per ranking; scipy's kendalltau gives only the total, and takes
# one pair of rankings at a time.
@compiled
def pairs_above(
    order: NDArray[np.int64],
    other: NDArray[np.float64],
    rank: NDArray[np.int64],
    correct: NDArray[np.int64],
    equal: NDArray[np.int64],
    above: NDArray[np.int64],
    group: NDArray[np.int64],
) -> None:
    """Walk each row of `other` from its best item down (`order` sorts it descending) and fill, per item:

    `above`: items with a higher score in `other`; of these, `correct` have a better `rank` in the reference and
    `equal` have the same; `group`: items tied with it in `other`, itself included. Ranks are dense, 0 is best.
    """
    n = other.shape[1]
    tree = np.zeros(n + 2, np.int64)
    for row in range(other.shape[0]):
        tree[:] = 0
        start = 0
        while start < n:
            end = start + 1
            while end < n and other[row, order[row, end]] == other[row, order[row, start]]:
                end += 1
            for k in range(start, end):
                item = order[row, k]
                better = 0
                i = rank[row, item]  # ranks below this one: prefix sum over 1…rank
                while i > 0:
                    better += tree[i]
                    i -= i & -i
                as_good = 0
                i = rank[row, item] + 1
                while i > 0:
                    as_good += tree[i]
                    i -= i & -i
                correct[row, item] = better
                equal[row, item] = as_good - better
                above[row, item] = start
                group[row, item] = end - start
            for k in range(start, end):  # only now: items tied with each other are not above one another
                i = rank[row, order[row, k]] + 1
                while i <= n:
                    tree[i] += 1
                    i += i & -i
            start = end
