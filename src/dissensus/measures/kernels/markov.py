"""Markov Precision for every ranking and every assessor.

Walks on all documents: rank j of n weighs stay(j)·(head[j − 1] + tail[n − j]), whatever the labels, so one pass over a
ranking's hits serves all assessors. Walks on relevant documents: each edge between two of them adds its weight to both
ends; O(|L|) edges between neighbours, O(|L|²) between all, assessor by assessor.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def walks_on_all(lo, hi, first, last, hit_rank, hit_item, labels, rel, length, head, tail, stay, recall, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ weight·precision / Σ weight over relevant hits; times their number if `recall`."""
    n_assessors = labels.shape[1]
    found = np.empty(n_assessors)
    total = np.empty(n_assessors)
    for s in range(lo, hi):
        found[:] = 0.0
        total[:] = 0.0
        n = length[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            j = hit_rank[h]
            weight = stay[j - 1] * (head[j - 1] + tail[n - j])
            for a in range(n_assessors):
                relevant = 1.0 if labels[item, a] >= rel else 0.0
                found[a] += relevant
                total[a] += relevant * weight
                out[s, a] += relevant * weight * (found[a] / j)
        for a in range(n_assessors):
            if total[a] > 0.0:
                out[s, a] *= (found[a] if recall else 1.0) / total[a]


@njit(cache=True, nogil=True)
def walks_on_relevant(lo, hi, first, last, hit_rank, hit_item, labels, rel, alpha, stay, neighbours, recall, out):  # type: ignore[no-untyped-def]
    """The same where edges of weight alpha[distance] join relevant ranks, all of them or neighbours only."""
    most = 1
    for s in range(lo, hi):
        most = max(most, last[s] - first[s])
    rank = np.empty(most, np.int64)
    for s in range(lo, hi):
        for a in range(labels.shape[1]):
            m = 0
            for h in range(first[s], last[s]):
                if labels[hit_item[h], a] >= rel:
                    rank[m] = hit_rank[h]
                    m += 1
            if m == 0:
                continue
            value = 0.0
            total = 0.0
            for i in range(1, m):
                precision = (i + 1) / rank[i]
                here = stay[rank[i] - 1]
                for k in range(i - 1 if neighbours else 0, i):
                    edge = alpha[rank[i] - rank[k]]
                    there = stay[rank[k] - 1]
                    total += edge * (here + there)
                    value += edge * (here * precision + there * ((k + 1) / rank[k]))
            score = value / total if m > 1 else 1.0 / rank[0]  # one relevant document: the walk stays there
            out[s, a] = score * m if recall else score
