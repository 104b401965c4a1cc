"""Sums of precisions at relevant ranks, against loops over one list of grades."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, hits, listed, rankings, twin

from dissensus.measures.kernels.average import graded_sums, listed_precision_sums, precision_sums, relevant_for


def slow_precisions(grades: list[int], pool: list[int], rel: int = 2) -> float:
    return sum(sum(g >= rel for g in grades[: k + 1]) / (k + 1) for k, g in enumerate(grades) if g >= rel)


def test_precision_sums() -> None:
    joined = rankings()
    out = empty(joined)
    precision_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(2), out)
    np.testing.assert_allclose(out, twin(joined, slow_precisions), atol=1e-13)
    assert out.max() > 1


def test_lists_of_relevant_assessors_give_the_same_sums() -> None:
    joined = rankings(1)
    start, who = np.empty(len(joined.labels) + 1, np.int64), np.empty(int((joined.labels >= 2).sum()) + 1, np.uint32)
    relevant_for(joined.labels, np.int8(2), start, who)
    expected_start, expected_who = listed(joined, 2)
    np.testing.assert_array_equal(start, expected_start)
    np.testing.assert_array_equal(who[:-1], expected_who[:-1])
    out = empty(joined)
    listed_precision_sums(*hits(joined), joined.hit_rank, joined.hit_item, start, who, out)
    np.testing.assert_allclose(out, twin(joined, slow_precisions), atol=1e-13)


def test_graded_sums() -> None:
    joined = rankings(2)
    q = np.array([0.0, 0.25, 0.25, 1.0])

    def slow(grades: list[int], pool: list[int]) -> float:
        chance = [q[g] if g >= 0 else 0.0 for g in grades]
        return sum(sum(min(chance[i], here) for i in range(k + 1)) / (k + 1) for k, here in enumerate(chance))

    out = empty(joined)
    graded_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, joined.scale.low, q, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
