"""Loops of measures over the hits of rankings: sums of weights, precision at relevant ranks, cascades.

Each walks the hits of segments `lo … hi − 1`, from `first[s]` to `last[s]`, and writes `out[segment, assessor]`.
Assessors are innermost. `hit_rank` and `hit_item` say where a hit stands and which judged document it is.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.compiled import compiled


# ── the loops: each walks the hits of segments lo … hi − 1 and writes out[segment, assessor], assessors innermost ──
@compiled
def linear_sums(lo, hi, first, last, hit_rank, hit_item, weight, offset, labels, rel, table, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over hits of weight[offset[s] + rank − 1] · value of the label.

    The value is table[label + 128]; where the table is empty, 1 from grade `rel` on, which is compared several times as
    fast as it is looked up.
    """
    n_assessors = labels.shape[1]
    binary = len(table) == 0
    for s in range(lo, hi):
        base = offset[s] - 1
        for h in range(first[s], last[s]):
            w = weight[base + hit_rank[h]]
            if w != 0.0:
                item = hit_item[h]
                if binary:
                    for a in range(n_assessors):
                        out[s, a] += w if labels[item, a] >= rel else 0.0
                else:
                    for a in range(n_assessors):
                        out[s, a] += w * table[np.int64(labels[item, a]) + 128]


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
def hits_above(lo, hi, hits, hit_item, above, count):  # type: ignore[no-untyped-def]
    """count[s]: hits of segment s whose item is `above`."""
    for s in range(lo, hi):
        n = 0
        for h in range(hits[s], hits[s + 1]):
            n += above[hit_item[h]]
        count[s] = n


@compiled
def keep_hits(lo, hi, hits, hit_rank, hit_item, above, kept, rank, item):  # type: ignore[no-untyped-def]
    """Ranks and items of those hits; segment s begins at kept[s]."""
    for s in range(lo, hi):
        at, end = kept[s], kept[s + 1]
        for h in range(hits[s], hits[s + 1]):
            if at < end:  # written always, kept if above
                rank[at], item[at] = hit_rank[h], hit_item[h]
                at += above[hit_item[h]]


@compiled
def pool_counts(labels, bounds, low, n_grades):  # type: ignore[no-untyped-def]
    """counts[t, a, g]: how many documents of topic t assessor a gave the grade low + g."""
    n_topics = len(bounds) - 1
    n_assessors = labels.shape[1]
    counts = np.zeros((n_topics, n_assessors, n_grades), np.int64)
    if n_assessors >= 8 and n_grades <= 8:  # grade by grade: assessors fill the widest vectors
        own = np.zeros((n_grades, n_assessors), np.int32)
        for t in range(n_topics):
            own[:, :] = 0
            for item in range(bounds[t], bounds[t + 1]):
                for g in range(n_grades):
                    for a in range(n_assessors):
                        own[g, a] += np.int32(labels[item, a] == low + g)
            for a in range(n_assessors):
                for g in range(n_grades):
                    counts[t, a, g] = own[g, a]
        return counts
    for t in range(n_topics):
        for item in range(bounds[t], bounds[t + 1]):
            for a in range(n_assessors):
                grade = np.int64(labels[item, a]) - low
                if 0 <= grade < n_grades:
                    counts[t, a, grade] += 1
    return counts


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


@compiled
def cascade_sums(lo, hi, first, last, hit_rank, hit_item, labels, stops, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ_r (1/r)·x_r·Π_{i<r}(1 − x_i), x = stops[label + 128] the probability to be satisfied."""
    n_assessors = labels.shape[1]
    reading = np.empty(n_assessors)
    for s in range(lo, hi):
        reading[:] = 1.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for a in range(n_assessors):
                x = stops[np.int64(labels[item, a]) + 128]
                out[s, a] += reading[a] * x * inverse
                reading[a] *= 1.0 - x


@compiled
def bpref_sums(lo, hi, first, last, hit_item, labels, rel, bound, relevant, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant hits of 1 − min(n, R)/min(N, R); bound[s, a] = min(N, R), relevant[s, a] = R."""
    n_assessors = labels.shape[1]
    above = np.zeros(n_assessors)
    for s in range(lo, hi):
        above[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            for a in range(n_assessors):
                label = labels[item, a]
                if label >= rel:
                    if above[a] > 0.0:
                        out[s, a] += 1.0 - min(above[a], relevant[s, a]) / bound[s, a]
                    else:
                        out[s, a] += 1.0
                elif label >= 0:
                    above[a] += 1.0


@compiled
def inferred_sums(lo, hi, first, last, hit_rank, hit_item, labels, rel, smoothing, out):  # type: ignore[no-untyped-def]
    """out[s, a] = Σ over relevant ranks k of 1/k + (m/k)·(a + ε)/(a + b + 2ε)."""
    n_assessors = labels.shape[1]
    above = np.empty((3, n_assessors))
    pooled, relevant, other = above[0], above[1], above[2]
    for s in range(lo, hi):
        above[:] = 0.0
        for h in range(first[s], last[s]):
            item = hit_item[h]
            inverse = 1.0 / hit_rank[h]
            for a in range(n_assessors):
                label = labels[item, a]
                if label >= rel:
                    share = (relevant[a] + smoothing) / (relevant[a] + other[a] + 2.0 * smoothing)
                    out[s, a] += inverse * (1.0 + pooled[a] * share)
                    relevant[a] += 1.0
                elif label >= 0:
                    other[a] += 1.0
                if label > -128:
                    pooled[a] += 1.0


@compiled
def ap_bounds(grades, relevant_in_pool, rel, cutoff):  # type: ignore[no-untyped-def]
    """(low, high) of AP over all labels of unjudged documents; grades by rank, negative = unjudged.

    High: the m highest-ranked unjudged documents are relevant, for the best m. Low: the m lowest-ranked ones, for the
    worst m. Making the document at rank r relevant adds P@r and 1/rank for every relevant document below it, so all m
    are tried in one pass each.
    """
    n = len(grades)
    base = 0.0
    count = 0
    for i in range(min(n, cutoff)):
        if grades[i] >= rel:
            count += 1
            base += count / (i + 1.0)
    high = base / relevant_in_pool if relevant_in_pool > 0 else np.nan
    low = high

    # from the top: every document above r that could be relevant already is
    below = 0.0  # Σ 1/rank over judged relevant documents below r
    for i in range(min(n, cutoff)):
        if grades[i] >= rel:
            below += 1.0 / (i + 1.0)
    total, above, flipped = base, 0, 0
    for i in range(n):
        inside = i < cutoff
        if grades[i] >= rel:
            above += 1
            if inside:
                below -= 1.0 / (i + 1.0)
        elif grades[i] < 0:
            flipped += 1
            if inside:
                total += (above + 1.0) / (i + 1.0) + below
            above += 1
            value = total / (relevant_in_pool + flipped)
            if np.isnan(high) or value > high:
                high = value

    # from the bottom: documents below r that could be relevant are
    total, below, flipped = base, 0.0, 0
    for i in range(n - 1, -1, -1):
        inside = i < cutoff
        if grades[i] >= rel:
            count -= 1 if inside else 0
            below += 1.0 / (i + 1.0) if inside else 0.0
        elif grades[i] < 0:
            flipped += 1
            if inside:
                total += (count + 1.0) / (i + 1.0) + below
                below += 1.0 / (i + 1.0)
            value = total / (relevant_in_pool + flipped)
            if np.isnan(low) or value < low:
                low = value
    return low, high
