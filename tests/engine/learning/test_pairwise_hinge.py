"""Squared hinge loss over all pairs, without visiting one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labelled_pairs import hinge_over_pairs

from dissensus.learning.queries import as_queries
from dissensus.learning.rankers.ranksvm import HingeLoss


@given(st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_loss_and_gradient_equal_the_sum_over_pairs(seed, documents, grades):
    rng = np.random.default_rng(seed)
    group = rng.integers(1, documents + 1, 4)
    y = rng.integers(0, grades, group.sum())
    score = rng.choice([rng.normal(size=len(y)), np.round(rng.normal(size=len(y)))])
    data = as_queries(rng.normal(size=(len(y), 2)), y, group)
    loss, gradient = HingeLoss(data)(score)
    want = hinge_over_pairs(score, y, data.bounds)
    assert loss == pytest.approx(want[0], rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(gradient, want[1], rtol=1e-9, atol=1e-9)
