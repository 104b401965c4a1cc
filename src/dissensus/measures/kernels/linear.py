"""Σ_r w(r)·v(g_r) for every ranking and every assessor at once.

`walked` and `add_up` are how a kernel over hits is written in numpy, for studies so small that loading numba would take
longer.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dissensus.work.compiled import compiled

Floats = NDArray[np.float64]


def walked(
    lo: int, hi: int, first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(ranking, hit) of every step of a kernel that walks rankings lo … hi − 1 from `first` to `last`.

    >>> walked(0, 2, np.array([0, 3]), np.array([2, 4]))
    (array([0, 0, 1]), array([0, 1, 3]))
    """
    count = last[lo:hi] - first[lo:hi]
    segment = np.repeat(np.arange(lo, hi), count)
    within = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
    return segment, first[segment] + within


def add_up(
    segment: NDArray[np.int64], steps: Callable[[NDArray[np.int64] | slice], NDArray[np.float64]], out: Floats
) -> None:
    """out[s, a] += step i of assessor a, for the steps of ranking s, from the first to the last; `segment` ascends.

    `steps` gives some rows of the table step × assessor: made when they are needed, so that the table is never whole.
    """
    if not len(segment):
        return
    start = np.flatnonzero(np.r_[True, np.diff(segment) != 0])
    count = np.diff(np.r_[start, len(segment)])
    longest = int(count.max())
    if longest > out.shape[1]:
        table = steps(slice(None))
        for a in range(out.shape[1]):
            out[:, a] += np.bincount(segment, table[:, a], len(out))
        return
    order = np.argsort(-count, kind="stable")  # those with a further step are the first ones
    start, count = start[order], count[order]
    total = steps(start)
    for step in range(1, longest):  # many assessors, short rankings: one step of all rankings at a time
        further = int(np.searchsorted(-count, -step))
        total[:further] += steps(start[:further] + step)
    out[segment[start]] += total


@compiled
def linear_sums(lo, hi, first, last, hit_rank, hit_item, weight, offset, labels, table, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over hits of weight[offset[s] + rank − 1] · table[label + 128]."""
    n_assessors = labels.shape[1]
    for s in range(lo, hi):
        base = offset[s] - 1
        for h in range(first[s], last[s]):
            w = weight[base + hit_rank[h]]
            if w != 0.0:
                item = hit_item[h]
                for a in range(n_assessors):
                    out[s, a] += w * table[np.int64(labels[item, a]) + 128]


@linear_sums.in_numpy
def linear_sums_in_numpy(lo, hi, first, last, hit_rank, hit_item, weight, offset, labels, table, out):  # type: ignore[no-untyped-def]
    """The same, one assessor at a time; `bincount` adds in the order of the ranks, as the loop does."""
    segment, hit = walked(lo, hi, first, last)
    w, item = weight[offset[segment] - 1 + hit_rank[hit]], hit_item[hit]
    add_up(segment, lambda some: w[some, None] * table[labels[item[some]].astype(np.int64) + 128], out)


@compiled
def binary_sums(lo, hi, first, last, hit_rank, hit_item, weight, offset, labels, rel, out):  # type: ignore[no-untyped-def]
    """The same for values 0 and 1: a comparison instead of a table."""
    n_assessors = labels.shape[1]
    for s in range(lo, hi):
        base = offset[s] - 1
        for h in range(first[s], last[s]):
            w = weight[base + hit_rank[h]]
            if w != 0.0:
                item = hit_item[h]
                for a in range(n_assessors):
                    out[s, a] += w if labels[item, a] >= rel else 0.0


@binary_sums.in_numpy
def binary_sums_in_numpy(lo, hi, first, last, hit_rank, hit_item, weight, offset, labels, rel, out):  # type: ignore[no-untyped-def]
    """The same, one assessor at a time."""
    segment, hit = walked(lo, hi, first, last)
    w, item = weight[offset[segment] - 1 + hit_rank[hit]], hit_item[hit]
    add_up(segment, lambda some: w[some, None] * (labels[item[some]] >= rel), out)


@compiled
def hits_within(hits, hit_rank, cutoff):  # type: ignore[no-untyped-def]
    """End of each segment's hits at ranks up to the cut-off."""
    out = np.empty(len(hits) - 1, np.int64)
    for s in range(len(hits) - 1):
        low, high = hits[s], hits[s + 1]
        while low < high:
            middle = (low + high) // 2
            if hit_rank[middle] <= cutoff:
                low = middle + 1
            else:
                high = middle
        out[s] = low
    return out


@hits_within.in_numpy
def hits_within_in_numpy(hits, hit_rank, cutoff):  # type: ignore[no-untyped-def]
    """The same by counting: ranks ascend within a segment."""
    within = np.r_[0, np.cumsum(hit_rank <= cutoff)]
    return hits[:-1] + within[hits[1:]] - within[hits[:-1]]
