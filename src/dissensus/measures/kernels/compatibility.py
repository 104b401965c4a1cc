"""Rank-biased overlap with the ideal ranking, for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def overlap_sums(  # type: ignore[no-untyped-def]
    lo, hi, first, last, hit_rank, hit_item, start, who, labels, low, topic, above, depth, running, out
):
    """out[s, a] = Σ_i p^(i−1)·|A_i ∩ I_i|/i.

    A document at rank r of the run and d of the ideal is in both prefixes where i is at least max(r, d), so it adds
    running[depth] − running[max(r, d) − 1]. Its rank d: the documents of better grades in the pool (`above`), and those
    of its own grade that came before it in the run.
    """
    n_assessors = out.shape[1]
    n_grades = above.shape[2]
    seen = np.empty((n_assessors, n_grades), np.int64)
    for s in range(lo, hi):
        seen[:, :] = 0
        t = topic[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                g = np.int64(labels[item, a]) - low
                if g < n_grades:  # labels under simulation may leave the scale; the pool does not count them either
                    seen[a, g] += 1
                    both = max(np.int64(hit_rank[h]), above[t, a, g] + seen[a, g])
                    out[s, a] += running[depth[s, a]] - running[both - 1]
