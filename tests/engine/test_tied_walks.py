"""Expected (graded) precision and first relevant rank of tied documents, against all their orders."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.engine.tied_walks import expected_first, expected_graded, expected_precision

GROUPS = [[0, 0], [0, 1, 2, 1], [2], [1, -128, 0]]
FLAT = [g for group in GROUPS for g in group]
LENGTHS = [len(g) for g in GROUPS]
START = np.repeat(np.cumsum([1, *LENGTHS[:-1]]), LENGTHS).astype(np.int64)
SIZE = np.repeat(LENGTHS, LENGTHS).astype(np.int64)
EDGES = np.array([0, len(FLAT)], np.int64)
LABELS = np.array(FLAT, np.int8)[:, None]
ITEMS = np.arange(len(FLAT), dtype=np.int32)


def orders() -> list[list[int]]:
    every = itertools.product(*(itertools.permutations(g) for g in GROUPS))
    return [[g for group in order for g in group] for order in every]


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("cutoff", [4, 100])
def test_the_mean_over_all_orders(rel: int, cutoff: int) -> None:
    precision, reciprocal, inside = [], [], []
    for grades in orders():
        ranks = [r for r, g in enumerate(grades, start=1) if g >= rel]
        precision.append(sum((i + 1) / r for i, r in enumerate(ranks) if r <= cutoff))
        reciprocal.append(1 / ranks[0] if ranks[0] <= cutoff else 0.0)
        inside.append(ranks[0] <= cutoff)
    args = (0, 1, EDGES[:-1], EDGES[1:], START, SIZE, ITEMS, LABELS, np.int8(rel), cutoff)
    sums, first, found = np.zeros((1, 1)), np.zeros((1, 1)), np.zeros((1, 1))
    expected_precision(*args, sums)
    expected_first(*args, found, first)
    assert sums.item() == pytest.approx(np.mean(precision), abs=1e-13)
    assert first.item() == pytest.approx(np.mean(reciprocal), abs=1e-13)
    assert found.item() == pytest.approx(np.mean(inside), abs=1e-13)


GRADED_GROUPS = [[3], [0, 2, 1], [1, 1], [2, -128]]  # grades of tied documents, group by group from the top
Q = np.array([0.0, 0.3, 0.6, 1.0])


def sum_of(grades: list[int], cutoff: int) -> float:
    q = [Q[g] if g >= 0 else 0.0 for g in grades]
    return sum(sum(min(q[i], q[k]) for i in range(k + 1)) / (k + 1) for k in range(min(cutoff, len(q))))


@pytest.mark.parametrize("cutoff", [3, 6, 100])
def test_graded_precision_is_the_mean_over_all_orders(cutoff: int) -> None:
    orders = itertools.product(*(itertools.permutations(g) for g in GRADED_GROUPS))
    slow = np.mean([sum_of([g for group in order for g in group], cutoff) for order in orders])
    size = np.repeat([len(g) for g in GRADED_GROUPS], [len(g) for g in GRADED_GROUPS]).astype(np.int64)
    start = np.repeat(np.cumsum([1, *(len(g) for g in GRADED_GROUPS[:-1])]), [len(g) for g in GRADED_GROUPS]).astype(
        np.int64
    )
    labels = np.array([[g] for group in GRADED_GROUPS for g in group], np.int8)
    items = np.arange(len(labels), dtype=np.int32)
    first, last = np.array([0, len(labels)], np.int64)[:-1], np.array([0, len(labels)], np.int64)[1:]
    out = np.zeros((1, 1))
    expected_graded(0, 1, first, last, start, size, items, labels, 0, Q, cutoff, out)
    assert out.item() == pytest.approx(slow, abs=1e-13)
