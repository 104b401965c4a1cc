"""Expected scores when tied documents stand in random order, in closed form.

A group of n tied documents follows s others; r of its documents are relevant, c relevant ones came before. A document
of the group is on each of its ranks s + 1 … s + n with chance 1/n; on the u-th of them another document of the group is
above it with chance (u − 1)/(n − 1).
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import jit


@jit(nogil=True)
def _relevant_of_group(h, last, group_start, hit_item, labels, a, rel):  # type: ignore[no-untyped-def]
    """(relevant hits of the group that hit h is in, the first hit after it)."""
    start = group_start[h]
    relevant = 0
    while h < last and group_start[h] == start:
        if labels[hit_item[h], a] >= rel:
            relevant += 1
        h += 1
    return relevant, h


@jit(nogil=True)
def expected_precision(lo, hi, first, last, group_start, group_size, hit_item, labels, rel, cutoff, out):  # type: ignore[no-untyped-def]
    """out[s, a] = E Σ_{relevant ranks ≤ cutoff} P@rank (McSherry & Najork 2008).

    Position i of the group is relevant with probability r/n; then c + 1 + (i − 1)(r − 1)/(n − 1) relevant documents are
    expected up to it.
    """
    for a in range(labels.shape[1]):
        for s in range(lo, hi):
            before = 0.0
            h = first[s]
            while h < last[s]:
                start, size = group_start[h], group_size[h]
                relevant, h = _relevant_of_group(h, last[s], group_start, hit_item, labels, a, rel)
                if relevant > 0:
                    slope = (relevant - 1.0) / (size - 1.0) if size > 1 else 0.0
                    for i in range(size):
                        if start + i > cutoff:
                            break
                        out[s, a] += relevant / size * (before + 1.0 + i * slope) / (start + i)
                before += relevant


@jit(nogil=True)
def expected_first(lo, hi, first, last, group_start, group_size, hit_item, labels, rel, cutoff, found, out):  # type: ignore[no-untyped-def]
    """out[s, a] = E 1/(rank of the first relevant), found[s, a] = P(it stands within the cut-off)."""
    for a in range(labels.shape[1]):
        for s in range(lo, hi):
            h = first[s]
            while h < last[s]:
                start, size = group_start[h], group_size[h]
                relevant, h = _relevant_of_group(h, last[s], group_start, hit_item, labels, a, rel)
                if relevant > 0:
                    # P(first relevant at position i + 1), by the ratio of its neighbours
                    chance = relevant / size
                    for i in range(size - relevant + 1):
                        if start + i > cutoff:
                            break
                        out[s, a] += chance / (start + i)
                        found[s, a] += chance
                        if i + 1 < size:
                            chance *= (size - relevant - i) / (size - 1.0 - i)
                    break


@jit(nogil=True)
def expected_graded(  # type: ignore[no-untyped-def]
    lo, hi, first, last, start, size, hit_item, labels, low, gains, cutoff, out
):
    """out[s, a] = E Σ_k (1/k) Σ_{κ≤k} min(q_κ, q_k) down to the cut-off."""
    n_assessors = labels.shape[1]
    n_grades = len(gains)
    above = np.zeros((n_assessors, n_grades))
    inside = np.zeros((n_assessors, n_grades))
    for s in range(lo, hi):
        above[:, :] = 0.0
        h = first[s]
        while h < last[s]:
            begin, m = start[h], size[h]
            inside[:, :] = 0.0
            while h < last[s] and start[h] == begin:
                for a in range(n_assessors):
                    grade = np.int64(labels[hit_item[h], a]) - low
                    if 0 <= grade < n_grades:
                        inside[a, grade] += 1.0
                h += 1
            here = 0.0  # E[1/rank]
            after = 0.0  # E[1/rank; a given other document of the group is above]
            for u in range(min(m, cutoff - begin + 1)):
                here += 1.0 / (begin + u)
                after += u / (begin + u)
            here /= m
            after = after / (m * (m - 1.0)) if m > 1 else 0.0
            for a in range(n_assessors):
                for x in range(n_grades):
                    if inside[a, x] == 0.0:
                        continue
                    before = 0.0
                    beside = 0.0
                    for g in range(n_grades):
                        least = min(gains[g], gains[x])
                        before += above[a, g] * least
                        beside += inside[a, g] * least
                    out[s, a] += inside[a, x] * ((gains[x] + before) * here + (beside - gains[x]) * after)
                for g in range(n_grades):
                    above[a, g] += inside[a, g]
