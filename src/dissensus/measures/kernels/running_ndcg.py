"""nDCG at several depths of one ranking (RnDCG and nDCG_rel), for every ranking and every assessor at once.

`ends[t, a, l]` is the rank at which level l of the ideal ranking ends, levels best first; `running[c]` is Σ_{r≤c} of
the discount. A level without documents ends where the one above it does.
"""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def level_end_sums(  # type: ignore[no-untyped-def]
    lo, hi, first, last, hit_rank, hit_item, start, who, labels, top, topic, length, ends, inverse, discount, out
):
    """out[s, a] = Σ over depths c of DCG_c/IDCG_c: every level's end, and the whole ranking where N > R + 1.

    `inverse[t, a, l]` is 1/IDCG at the end of level l, 0 for a level without documents; its last entry is 1/IDCG.
    """
    n_levels = ends.shape[2]
    for s in range(lo, hi):
        t = topic[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = hit_rank[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                if labels[item, a] > top:  # labels under simulation may leave the scale; the pool does not count them
                    continue
                share = 0.0
                for level in range(n_levels):
                    if ends[t, a, level] >= rank:
                        share += inverse[t, a, level]
                if length[s] > ends[t, a, n_levels - 1] + 1:
                    share += inverse[t, a, n_levels]
                out[s, a] += labels[item, a] * discount[rank - 1] * share


@compiled
def relevant_rank_sums(  # type: ignore[no-untyped-def]
    lo, hi, first, last, hit_rank, hit_item, start, who, labels, top, topic, ends, gains, running, discount, out
):
    """out[s, a] = Σ over relevant documents of DCG_r/IDCG_r at their ranks; the run's last for those not retrieved."""
    n_levels = ends.shape[2]
    n_assessors = out.shape[1]
    dcg = np.empty(n_assessors)
    count = np.empty(n_assessors, np.int64)
    for s in range(lo, hi):
        dcg[:] = 0.0
        count[:] = 0
        t = topic[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = np.int64(hit_rank[h])
            for j in range(start[item], start[item + 1]):
                a = who[j]
                if labels[item, a] > top:
                    continue
                dcg[a] += labels[item, a] * discount[rank - 1]
                count[a] += 1
                ideal = 0.0
                above = np.int64(0)
                for level in range(n_levels):
                    end = min(ends[t, a, level], rank)
                    if end > above:
                        ideal += gains[level] * (running[end] - running[above])
                        above = end
                out[s, a] += dcg[a] / ideal
        for a in range(n_assessors):
            total = ends[t, a, n_levels - 1]
            if dcg[a] > 0.0 and total > count[a]:
                ideal = 0.0
                above = np.int64(0)
                for level in range(n_levels):
                    end = ends[t, a, level]
                    ideal += gains[level] * (running[end] - running[above])
                    above = end
                out[s, a] += (total - count[a]) * dcg[a] / ideal
