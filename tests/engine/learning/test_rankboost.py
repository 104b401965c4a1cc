"""How strongly pairs pull at documents."""

from __future__ import annotations

import numpy as np
import pytest
from labelled_pairs import pair_weights, ranking_data

from dissensus.engine.learning.rankboost import best_threshold


def test_pull_equals_the_sum_over_pairs():
    from dissensus.engine.learning.rankboost import preference_weights

    _X, y, bounds = ranking_data()
    score = np.random.default_rng(1).normal(size=len(y))
    query = np.repeat(np.arange(3), np.diff(bounds))
    pull = np.empty(len(y))
    total = preference_weights(score, y, np.lexsort((y, query)), bounds, pull)
    want, weight = np.zeros(len(y)), 0.0
    for i, j, w in pair_weights(score, y, bounds):
        want[i] += w
        want[j] -= w
        weight += w
    np.testing.assert_allclose(pull, want, rtol=1e-12)
    assert total == pytest.approx(weight)


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
