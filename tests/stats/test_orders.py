"""Many rankings compared at once against one pair at a time, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.stats.correlation import kendall_tau, tau_ap
from dissensus.stats.orders import Orders, compared
from dissensus.stats.overlap import rbo


@pytest.mark.parametrize("levels", [3, 8, 1000])
def test_rows_are_compared_as_pairs_of_rankings_are(levels):
    rng = np.random.default_rng(levels)
    a, b = rng.integers(0, levels, (2, 40, 9)).astype(float)
    found = compared(Orders.of(a), Orders.of(b), p=0.8, k=4)
    for x, y, row in zip(a, b, found, strict=True):
        expected = [kendall_tau(x, y), tau_ap(x, y), rbo(dict(enumerate(x)), dict(enumerate(y)), p=0.8)]
        assert row[:3] == pytest.approx(expected, abs=1e-12)


def test_the_overlap_at_the_top_is_the_mean_over_broken_ties():
    x, y = np.array([3.0, 2, 2, 2, 1]), np.array([1.0, 3, 2, 2, 2])
    rng = np.random.default_rng(0)
    shared = []
    for _ in range(4000):
        first, second = (set(np.lexsort((rng.random(5), -s))[:2].tolist()) for s in (x, y))
        shared.append(len(first & second) / 2)
    exact = compared(Orders.of(x[None]), Orders.of(y[None]), k=2)[0, 3]
    assert exact == pytest.approx(np.mean(shared), abs=0.02)


def test_one_reference_serves_all_rows():
    rng = np.random.default_rng(1)
    a, b = rng.random((1, 7)), rng.random((5, 7))
    assert compared(Orders.of(a), Orders.of(b)) == pytest.approx(
        compared(Orders.of(np.repeat(a, 5, axis=0)), Orders.of(b))
    )
