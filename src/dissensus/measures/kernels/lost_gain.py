"""Gains discounted by the gain that was lost above them (binG and G), for every ranking and every assessor at once."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def useless_above_sums(lo, hi, first, last, hit_rank, hit_item, start, who, discount, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant ranks of discount[documents above that are not relevant]."""
    count = np.empty(out.shape[1], np.int64)
    for s in range(lo, hi):
        count[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                count[a] += 1
                out[s, a] += discount[hit_rank[h] - count[a]]


@compiled
def lost_gain_sums(  # type: ignore[no-untyped-def]
    lo, hi, first, last, hit_rank, hit_item, start, who, labels, low, topic, counts, discount, out
):
    """out[s, a] = Σ_r g_r·discount[Σ_{j≤r} max(i_j, 1) − Σ_{j≤r} g_j], i the ideal grades.

    `counts[t, a, g]` documents of grade low + g are in the pool: what the ideal ranking gave down to rank r is found
    grade by grade, best first, and below its end a rank counts 1.
    """
    gained = np.empty(out.shape[1], np.int64)
    n_grades = counts.shape[2]
    for s in range(lo, hi):
        gained[:] = 0
        t = topic[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                gain = np.int64(labels[item, a])
                if gain - low >= n_grades:  # labels under simulation may leave the scale; the pool does not count them
                    continue
                gained[a] += gain
                left = np.int64(hit_rank[h])
                best = np.int64(0)
                for g in range(n_grades - 1, -1, -1):
                    if low + g > 0:
                        taken = min(left, counts[t, a, g])
                        best += taken * (low + g)
                        left -= taken
                out[s, a] += gain * discount[best + left - gained[a]]
