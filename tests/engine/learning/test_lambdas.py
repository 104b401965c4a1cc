"""The kernel of LambdaMART."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize("n", [2, 12, 13, 25, 100, 777])
def test_the_kernels_sort_is_a_stable_sort(n):
    from dissensus.engine.learning.lambdas import _sort

    rng = np.random.default_rng(n)
    order = np.arange(n)
    for _ in range(3):  # the order of one round is where the next begins
        score = rng.integers(0, n // 2 + 1, n).astype(float)
        _sort(order, np.empty_like(order), score, 0, n)
        np.testing.assert_array_equal(order, np.lexsort((np.arange(n), -score)))
