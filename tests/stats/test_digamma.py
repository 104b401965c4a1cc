"""ψ as scipy has it."""

from __future__ import annotations

import numpy as np
from scipy import special

from dissensus.stats.digamma import digamma


def test_it_is_scipys_from_tiny_to_huge() -> None:
    x = np.r_[np.logspace(-6, 8, 500), np.arange(1, 200) / 7]
    np.testing.assert_allclose(digamma(x), special.digamma(x), rtol=1e-14, atol=1e-14)


def test_the_argument_is_left_alone() -> None:
    x = np.array([0.5, 2.0])
    digamma(x)
    assert x.tolist() == [0.5, 2.0]
