"""Loops over the hits of rankings for users who go on or back: Markov walks, and C/W/L users who remember.

On walks through all documents, rank j of n weighs stay(j)·(head[j − 1] + tail[n − j]), whatever the labels. So one
pass over a ranking's hits serves all assessors. On walks through relevant documents, each edge between two of them adds
its weight to both ends. That is O(|L|) edges between neighbours, and O(|L|²) between all, assessor by assessor.

Nothing changes for a C/W/L user between two documents that are worth something. So only these are visited (`start`,
`who`: the assessors to whom an item is worth something), and the weights in between are summed in closed form.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.compiled import compiled


# Walks on all documents: rank j of n weighs stay(j)·(head[j − 1] + tail[n − j]), whatever the labels, so one pass over
# a ranking's hits serves all assessors. Walks on relevant documents: each edge between two of them adds its weight to
# both ends; O(|L|) edges between neighbours, O(|L|²) between all, assessor by assessor.
@compiled
def walks_on_all(lo, hi, first, last, hit_rank, hit_item, labels, rel, length, head, tail, stay, recall, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ weight·precision / Σ weight over relevant hits; times their number if `recall`."""
    n_assessors = labels.shape[1]
    sums = np.empty((2, n_assessors))
    found, total = sums[0], sums[1]
    for s in range(lo, hi):
        sums[:] = 0.0
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


@compiled
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


@compiled
def normalised_cascade(lo, hi, first, last, hit_rank, hit_item, start, who, labels, table, running, total, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ f_r·Π(1 − v)·v / Σ f_r·Π(1 − v); running[r] = f_1 + … + f_r, `total` all of them."""
    n_assessors = out.shape[1]
    going_on = np.empty(n_assessors)
    read = np.empty(n_assessors)
    before = np.empty(n_assessors)
    for s in range(lo, hi):
        going_on[:] = 1.0
        read[:] = 0.0
        before[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = hit_rank[h]
            here = running[rank]
            weight = here - running[rank - 1]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                v = table[np.int64(labels[item, a]) + 128]
                read[a] += going_on[a] * (here - before[a])
                before[a] = here
                out[s, a] += going_on[a] * weight * v
                going_on[a] *= 1.0 - v
        for a in range(n_assessors):
            out[s, a] /= read[a] + going_on[a] * (total - before[a])


@compiled
def bpm_scores(lo, hi, first, last, hit_rank, hit_item, start, who, labels, table, wanted, end, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ v / documents read; reading ends where Σ v reaches `wanted`, or at rank `end`."""
    n_assessors = out.shape[1]
    stopped = np.empty(n_assessors, np.int64)
    for s in range(lo, hi):
        stopped[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for j in range(start[item], start[item + 1]):
                a = who[j]
                if stopped[a] == 0:
                    out[s, a] += table[np.int64(labels[item, a]) + 128]
                    if out[s, a] >= wanted:
                        stopped[a] = hit_rank[h]
        for a in range(n_assessors):
            out[s, a] /= stopped[a] if stopped[a] > 0 else end


@compiled
def inst_scores(lo, hi, first, last, hit_rank, hit_item, start, who, labels, steps, scale, wanted, tail, depth, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ w·v / Σ w of INST; depth 0: over all ranks.

    After rank a with c = 2T − Σv, w_r = w_a·((a − 1 + c)/(r − 1 + c))². Gains are whole steps of 1/scale, so that r + c
    is 2T + k/scale with a whole number k, and tail[k] = Σ 1/x² over x = r + c, r + c + 1, … is looked up.
    """
    n_assessors = out.shape[1]
    weight = np.empty(n_assessors)  # w at the rank last visited, times (rank − 1 + c)²
    read = np.empty(n_assessors)
    gained = np.empty(n_assessors, np.int64)
    place = np.empty(n_assessors, np.int64)
    for s in range(lo, hi):
        weight[:] = 4.0 * wanted * wanted
        read[:] = 0.0
        gained[:] = 0
        place[:] = 0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            rank = np.int64(hit_rank[h])
            for j in range(start[item], start[item + 1]):
                a = who[j]
                k = rank * scale - gained[a]
                read[a] += weight[a] * (tail[place[a] * scale - gained[a]] - tail[k])
                step = steps[np.int64(labels[item, a]) + 128]
                x = 2.0 * wanted + (k - scale) / scale
                w = weight[a] / (x * x)
                out[s, a] += w * step / scale
                gained[a] += step
                x -= step / scale
                weight[a] = w * x * x
                place[a] = rank
        for a in range(n_assessors):
            beyond = tail[depth * scale - gained[a]] if depth > 0 else 0.0
            out[s, a] /= read[a] + weight[a] * (tail[place[a] * scale - gained[a]] - beyond)
