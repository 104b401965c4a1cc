"""Σ over relevant ranks of the precision there, for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.measures.kernels.linear import add_up, walked
from dissensus.work.compiled import compiled


@compiled
def precision_sums(lo, hi, first, last, hit_rank, hit_item, labels, rel, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ_{relevant ranks r} (relevant up to r) / r."""
    n_assessors = labels.shape[1]
    # whole numbers in one loop, fractions in the next: each alone fills the widest vectors
    count = np.zeros(n_assessors, np.int32)
    found = np.zeros(n_assessors, np.int32)
    for s in range(lo, hi):
        count[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for a in range(n_assessors):
                relevant = np.int32(labels[item, a] >= rel)
                count[a] += relevant
                found[a] = relevant * count[a]
            for a in range(n_assessors):
                out[s, a] += found[a] * inverse


@precision_sums.in_numpy
def precision_sums_in_numpy(lo, hi, first, last, hit_rank, hit_item, labels, rel, out):  # type: ignore[no-untyped-def]
    """The same, one assessor at a time."""
    segment, hit = walked(lo, hi, first, last)
    relevant = labels[hit_item[hit]] >= rel
    count = np.cumsum(relevant, axis=0)
    begins = np.searchsorted(segment, segment)  # of the first hit of the same ranking
    count -= np.where(begins[:, None] > 0, count[begins - 1], 0)
    inverse = 1.0 / hit_rank[hit]
    add_up(segment, lambda some: relevant[some] * count[some] * inverse[some, None], out)


@compiled
def relevant_for(labels, rel, start, who):  # type: ignore[no-untyped-def]
    """who[start[i] : start[i + 1]] are the assessors to whom item i is relevant; `who` has room for one more."""
    at = 0
    for item in range(labels.shape[0]):
        start[item] = at
        for a in range(labels.shape[1]):
            who[at] = a  # written always, kept if relevant: no branch to guess wrong
            at += labels[item, a] >= rel
    start[labels.shape[0]] = at


@compiled
def listed_precision_sums(lo, hi, first, last, hit_rank, hit_item, start, who, out):  # type: ignore[no-untyped-def]
    """The same sums from lists of the assessors to whom an item is relevant: work for relevant labels only."""
    count = np.zeros(out.shape[1])
    for s in range(lo, hi):
        count[:] = 0.0
        row = out[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                found = count[a] + 1.0
                count[a] = found
                row[a] += found * inverse


@compiled
def graded_sums(lo, hi, first, last, hit_rank, hit_item, labels, low, gains, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ_k (1/k) Σ_{κ≤k} min(q_κ, q_k), with how many of each grade came before kept as counts."""
    n_assessors = labels.shape[1]
    n_grades = len(gains)
    count = np.zeros((n_assessors, n_grades))
    for s in range(lo, hi):
        count[:, :] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for a in range(n_assessors):
                grade = np.int64(labels[item, a]) - low
                if 0 <= grade < n_grades:
                    count[a, grade] += 1.0
                    here = gains[grade]
                    total = 0.0
                    for g in range(n_grades):
                        total += count[a, g] * min(gains[g], here)
                    out[s, a] += total / hit_rank[h]
