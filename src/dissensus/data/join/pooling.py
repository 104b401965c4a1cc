"""Count the pool: documents per topic, assessor and grade."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


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


@pool_counts.in_numpy
def pool_counts_in_numpy(labels, bounds, low, n_grades):  # type: ignore[no-untyped-def]
    """The same, all cells at once."""
    n_topics, n_assessors = len(bounds) - 1, labels.shape[1]
    topic = np.repeat(np.arange(n_topics), np.diff(bounds))
    grade = labels[bounds[0] : bounds[-1]].astype(np.int64) - low
    cell = (topic[:, None] * n_assessors + np.arange(n_assessors)) * n_grades + grade
    inside = (grade >= 0) & (grade < n_grades)
    counts = np.bincount(cell[inside], minlength=n_topics * n_assessors * n_grades)
    return counts.reshape(n_topics, n_assessors, n_grades)
