"""The best question of RankBoost, against all questions asked one by one."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.learning.kernels.best_threshold import best_threshold


@pytest.mark.parametrize("seed", range(5))
def test_no_question_agrees_better(seed):
    rng = np.random.default_rng(seed)
    n_bins = np.array([4, 1, 6])
    bins = np.array([rng.integers(0, n, 40) for n in n_bins]).astype(np.uint8)
    pull = rng.normal(size=40)
    feature, cut, value = best_threshold(bins, n_bins, pull)
    sums = {(f, i): pull[bins[f] > i].sum() for f in range(3) for i in range(n_bins[f] - 1)}
    assert value == pytest.approx(sums[feature, cut])
    assert abs(value) == pytest.approx(max(map(abs, sums.values())))


def test_features_of_one_bin_ask_nothing():
    assert best_threshold(np.zeros((2, 5), np.uint8), np.array([1, 1]), np.ones(5)) == (0, 0, 0.0)
