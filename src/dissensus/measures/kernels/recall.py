"""Measures whose depth depends on the assessor's own recall base: R-precision and interpolated precision."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def relevant_within(lo, hi, first, last, hit_rank, hit_item, labels, rel, depth, out):  # type: ignore[no-untyped-def]
    """out[s, a] = relevant documents at ranks up to depth[s, a]."""
    n_assessors = labels.shape[1]
    for s in range(lo, hi):
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = hit_rank[h]
            for a in range(n_assessors):
                out[s, a] += 1.0 if labels[item, a] >= rel and rank <= depth[s, a] else 0.0


@compiled
def interpolated(lo, hi, first, last, hit_rank, hit_item, labels, rel, needed, out):  # type: ignore[no-untyped-def]
    """out[s, a] = the highest precision at any rank from the needed[s, a]-th relevant document on; 0 if not reached."""
    n_assessors = labels.shape[1]
    count = np.zeros(n_assessors, np.int64)
    for s in range(lo, hi):
        count[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = hit_rank[h]
            for a in range(n_assessors):
                if labels[item, a] >= rel:
                    count[a] += 1
                    # precision peaks at relevant ranks, so looking there is enough
                    if count[a] >= needed[s, a]:
                        out[s, a] = max(out[s, a], count[a] / rank)
