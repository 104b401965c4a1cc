"""The bounds of AP against every labelling of the unjudged documents."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.measures.kernels.bounds import ap_bounds


def average_precision(grades: list[int], relevant: int, cutoff: int) -> float:
    ranks = [k for k, g in enumerate(grades[:cutoff], start=1) if g >= 2]
    return sum((i + 1) / k for i, k in enumerate(ranks)) / relevant


@pytest.mark.parametrize("cutoff", [3, 100])
def test_no_labelling_leaves_the_bounds_and_two_reach_them(cutoff: int) -> None:
    rng = np.random.default_rng(cutoff)
    for _ in range(30):
        grades = rng.choice([-128, -1, 0, 1, 2, 3], 8)
        missed = int(rng.integers(0, 3))  # relevant documents that were not retrieved
        free = np.flatnonzero(grades < 0)
        relevant = int((grades >= 2).sum()) + missed
        scores = []
        for labels in itertools.product((0, 2), repeat=len(free)):
            filled = grades.copy()
            filled[free] = labels
            total = int((filled >= 2).sum()) + missed
            if total:
                scores.append(average_precision(filled.tolist(), total, cutoff))
        low, high = ap_bounds(grades.astype(np.int8), relevant, 2, cutoff)
        if scores:
            assert (low, high) == pytest.approx((min(scores), max(scores)), abs=1e-12)
        else:
            assert np.isnan(low)
