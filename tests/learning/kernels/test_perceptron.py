"""The kernel of PRank."""

from __future__ import annotations

import numpy as np


def one_pass(X, level, order, w, b):
    """Crammer & Singer's algorithm, line by line."""
    for row in order:
        score = w @ X[row]
        wanted = np.where(level[row] > np.arange(len(b)), 1, -1)
        tau = np.where((score - b) * wanted <= 0, wanted, 0)
        w = w + tau.sum() * X[row]
        b = b - tau
    return w, b


def test_kernel_equals_the_algorithm():
    from dissensus.learning.kernels.perceptron import perceptron_pass

    rng = np.random.default_rng(2)
    X, level, order = rng.normal(size=(50, 4)), rng.integers(0, 4, 50), rng.permutation(50)
    w, b = np.zeros(4), np.zeros(3)
    perceptron_pass(X, level, order, w, b, np.zeros(4), np.zeros(3))
    want = one_pass(X, level, order, np.zeros(4), np.zeros(3))
    np.testing.assert_allclose(w, want[0])
    np.testing.assert_allclose(b, want[1])
