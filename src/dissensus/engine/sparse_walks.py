"""Loops over relevant hits only: `start` and `who` list the assessors to whom an item is relevant.

They walk the hits of segments `lo … hi − 1` as those in `walks`, and serve trec_eval's gains, compatibility, measures
over intents, and users who walk between documents.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.compiled import compiled


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


@compiled
def worth_sums(  # type: ignore[no-untyped-def]
    lo, hi, first, last, hit_rank, hit_item, start, columns, owner, topic, share, delta, kept, step, out
):
    """out[s, a] = Σ_r delta[r − 1]·Σ over intents of share·worth: 1 at first, then kept·worth + step."""
    worth = np.empty(len(owner))
    for s in range(lo, hi):
        worth[:] = 1.0
        t = topic[s]
        for h in range(first[s], last[s]):
            item = hit_item[h]
            weight = delta[hit_rank[h] - 1]
            for j in range(start[item], start[item + 1]):
                c = columns[j]
                out[s, owner[c]] += weight * worth[c] * share[t, c]
                worth[c] = worth[c] * kept + step


@compiled
def greedy_sums(topic_bounds, start, columns, owner, delta, kept, out):  # type: ignore[no-untyped-def]
    """out[t, a] = Σ delta·x of the greedy ideal: the document worth most next, of equal ones the larger id.

    A document's worth only falls while others are taken, so one whose old worth is below the best found so far is not
    looked at again.
    """
    worth = np.ones(len(owner))
    n_assessors = out.shape[1]
    room = np.zeros(n_assessors + 1, np.int64)
    for t in range(len(topic_bounds) - 1):
        low, high = topic_bounds[t], topic_bounds[t + 1]
        # entries: the topic's items by assessor, and where an item's columns of that assessor begin and end
        room[:] = 0
        entries = 0
        for i in range(low, high):
            before = -1
            for j in range(start[i], start[i + 1]):
                a = owner[columns[j]]
                if a != before:
                    before = a
                    room[a + 1] += 1
                    entries += 1
        for a in range(n_assessors):
            room[a + 1] += room[a]
        place = room[:-1].copy()
        begin = np.empty(entries, np.int64)
        end = np.empty(entries, np.int64)
        for i in range(low, high):
            before = -1
            for j in range(start[i], start[i + 1]):
                a = owner[columns[j]]
                if a != before:
                    before = a
                    begin[place[a]] = j
                    place[a] += 1
                end[place[a] - 1] = j + 1
        for a in range(n_assessors):
            at = room[a]
            n = room[a + 1] - at
            old = np.empty(n)
            taken = np.zeros(n, np.bool_)
            for k in range(n):
                e = at + k
                old[k] = end[e] - begin[e]
                for j in range(begin[e], end[e]):
                    worth[columns[j]] = 1.0
            for r in range(min(n, len(delta))):
                best, chosen = -1.0, -1
                for k in range(n - 1, -1, -1):
                    if taken[k] or old[k] <= best + 1e-12:
                        continue
                    x = 0.0
                    for j in range(begin[at + k], end[at + k]):
                        x += worth[columns[j]]
                    old[k] = x
                    if x > best + 1e-12:
                        best, chosen = x, k
                taken[chosen] = True
                out[t, a] += delta[r] * best
                for j in range(begin[at + chosen], end[at + chosen]):
                    worth[columns[j]] *= kept
