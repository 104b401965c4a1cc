"""How many of the items ranked above an item belong there: the count behind τ and τ_ap, for many rankings at once.

A Fenwick tree over the reference's ranks gives O(n log n) per ranking. Written by hand because scipy's kendalltau
gives only the total, and takes one pair of rankings at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.work.compiled import compiled


@compiled
def count_above(
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


@count_above.in_numpy
def count_above_in_numpy(order, other, rank, correct, equal, above, group):  # type: ignore[no-untyped-def]
    """The same from all pairs of items."""
    higher = other[:, None, :] > other[:, :, None]  # row, item, item above it
    correct[:] = (higher & (rank[:, None, :] < rank[:, :, None])).sum(axis=2)
    equal[:] = (higher & (rank[:, None, :] == rank[:, :, None])).sum(axis=2)
    above[:] = higher.sum(axis=2)
    group[:] = (other[:, None, :] == other[:, :, None]).sum(axis=2)


@count_above.counting
def pairs(order, other, rank, correct, equal, above, group):  # type: ignore[no-untyped-def]
    """What numpy walks: all pairs of items of every row."""
    return other.size * other.shape[1]
