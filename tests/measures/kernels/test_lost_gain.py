"""Gains discounted by what was lost above them, with the ideal ranking written out."""

from __future__ import annotations

import math

import numpy as np
from kernel_twins import empty, hits, listed, rankings, twin

from dissensus.measures.kernels.lost_gain import lost_gain_sums, useless_above_sums

DISCOUNT = 1 / np.log2(2 + np.arange(400, dtype=np.float64))


def test_useless_documents_above() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        return sum(1 / math.log2(2 + sum(x < 2 for x in grades[:k])) for k, g in enumerate(grades) if g >= 2)

    out = empty(joined)
    useless_above_sums(*hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 2), DISCOUNT, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)


def test_lost_gain() -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        ideal = sorted((g for g in pool if g > 0), reverse=True) + [0] * len(grades)
        total = 0.0
        for r, grade in enumerate(grades, start=1):
            if grade > 0:
                lost = sum(max(i, 1) for i in ideal[:r]) - sum(max(g, 0) for g in grades[:r])
                total += grade / math.log2(2 + lost)
        return total

    out = empty(joined)
    lost_gain_sums(
        *hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 1), joined.labels, joined.scale.low,
        joined.segment_topic, joined.pool_counts, DISCOUNT, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
