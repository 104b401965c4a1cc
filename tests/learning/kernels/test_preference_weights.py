"""How strongly pairs pull at documents."""

from __future__ import annotations

import numpy as np
import pytest
from labelled_pairs import pair_weights, ranking_data


def test_pull_equals_the_sum_over_pairs():
    from dissensus.learning.kernels.preference_weights import preference_weights

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
