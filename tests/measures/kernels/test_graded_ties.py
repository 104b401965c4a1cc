"""Graded AP of tied documents, against the mean over all their orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.measures.kernels.graded_ties import expected_graded

GROUPS = [[3], [0, 2, 1], [1, 1], [2, -128]]  # grades of tied documents, group by group from the top
Q = np.array([0.0, 0.3, 0.6, 1.0])


def sum_of(grades: list[int], cutoff: int) -> float:
    q = [Q[g] if g >= 0 else 0.0 for g in grades]
    return sum(sum(min(q[i], q[k]) for i in range(k + 1)) / (k + 1) for k in range(min(cutoff, len(q))))


@pytest.mark.parametrize("cutoff", [3, 6, 100])
def test_the_mean_over_all_orders(cutoff: int) -> None:
    orders = itertools.product(*(itertools.permutations(g) for g in GROUPS))
    slow = np.mean([sum_of([g for group in order for g in group], cutoff) for order in orders])
    size = np.repeat([len(g) for g in GROUPS], [len(g) for g in GROUPS]).astype(np.int64)
    start = np.repeat(np.cumsum([1, *(len(g) for g in GROUPS[:-1])]), [len(g) for g in GROUPS]).astype(np.int64)
    labels = np.array([[g] for group in GROUPS for g in group], np.int8)
    items = np.arange(len(labels), dtype=np.int32)
    first, last = np.array([0, len(labels)], np.int64)[:-1], np.array([0, len(labels)], np.int64)[1:]
    out = np.zeros((1, 1))
    expected_graded(0, 1, first, last, start, size, items, labels, 0, Q, cutoff, out)
    assert out.item() == pytest.approx(slow, abs=1e-13)
