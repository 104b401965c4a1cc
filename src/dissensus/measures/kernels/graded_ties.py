"""Graded average precision when documents are tied: the mean over all orders, in closed form.

A document of a group of m tied ones that starts at rank s is on each of the ranks s … s+m−1 with chance 1/m; on the
u-th of them another document of the group is above it with chance (u−1)/(m−1).
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
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
