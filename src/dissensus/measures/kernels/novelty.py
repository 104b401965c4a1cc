"""Novelty over intents, for every ranking and every assessor at once.

`columns[start[i]:start[i + 1]]` are the (assessor, intent) columns to which item i is relevant, ascending, and `owner`
says whose each column is: the work is proportional to the relevant labels.
"""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def novelty_sums(lo, hi, first, last, hit_rank, hit_item, start, columns, owner, delta, kept, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ_r delta[r − 1]·Σ over intents of kept^(documents about the intent above)."""
    worth = np.empty(len(owner))
    for s in range(lo, hi):
        worth[:] = 1.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            weight = delta[hit_rank[h] - 1]
            for j in range(start[item], start[item + 1]):
                c = columns[j]
                out[s, owner[c]] += weight * worth[c]
                worth[c] *= kept


@compiled
def intent_precision_sums(lo, hi, first, last, hit_rank, hit_item, start, columns, owner, topic, share, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over intents of share·Σ of the precision at the ranks relevant to the intent."""
    count = np.empty(len(owner))
    for s in range(lo, hi):
        count[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for j in range(start[item], start[item + 1]):
                c = columns[j]
                count[c] += 1.0
                out[s, owner[c]] += count[c] * inverse * share[topic[s], c]


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
