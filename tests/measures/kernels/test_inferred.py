"""Inferred AP: its sum over relevant ranks, counted anew at each of them."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, hits, rankings, twin

from dissensus.measures.kernels.inferred import inferred_sums


def test_inferred_sums() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        total = 0.0
        for k, grade in enumerate(grades, start=1):
            if grade >= 2:
                above = grades[: k - 1]
                a, b, m = sum(g >= 2 for g in above), sum(0 <= g < 2 for g in above), sum(g > -128 for g in above)
                total += 1 / k + m / k * (a + 0.01) / (a + b + 0.02)
        return total

    out = empty(joined)
    inferred_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(2), 0.01, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0
