"""Σ_r w(r)·v(g_r) for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.measures.kernels.in_numpy import add_up, walked
from dissensus.work.compiled import compiled


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
