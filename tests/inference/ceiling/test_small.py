"""The exact ceiling of a few lists in numpy, held against the kernel."""

from __future__ import annotations

import numpy as np

from dissensus.inference.ceiling import exact, small
from dissensus.inference.ceiling.expected_scores import gauss_legendre


def test_numpy_and_kernel_agree() -> None:
    rng = np.random.default_rng(5)
    topics, grades, room = 30, 4, 12
    counts = rng.integers(0, 9, (topics, grades))
    counts[0] = 0
    counts[1] = [1, 0, 0, 0]
    matrices = rng.dirichlet(np.ones(grades), (3, grades))
    matrices[2] = np.eye(grades)  # an assessor that agrees with the reference everywhere
    matrix_of = rng.integers(0, 3, topics)
    lengths = np.minimum(counts.sum(axis=1), rng.integers(1, room + 1, topics))
    weights = rng.random((topics, room))
    values = rng.random((topics, grades))
    x, w = gauss_legendre(32)
    inverse = np.concatenate(([0.0], 1.0 / np.arange(1, 60)))
    kernel = np.empty(topics)
    exact.expected_scores(
        counts, matrices, matrix_of, weights, lengths, values, x, w, -1, inverse, 0, topics, kernel
    )  # fmt: skip
    used = np.where(np.arange(room) < lengths[:, None], weights, 0.0)
    np.testing.assert_allclose(
        small.expected_scores(counts, matrices, matrix_of, used, values, x, w), kernel, rtol=1e-13
    )


def test_what_vanishes_on_the_way_is_found_by_logarithms() -> None:
    """(1 − q)ⁿ is no float for n = 400 and q near 1, but some P(Bin(n, q) = h) are; q may also be 1 or 0."""
    from scipy.stats import binom

    n, room = np.array([400, 400, 5, 0]), 12
    q = np.array([[0.999, 0.2], [1.0, 0.0], [1.0, 0.5], [1.0, 0.3]])
    found = small._binomial(n, q, room)
    np.testing.assert_allclose(found, binom.pmf(np.arange(room)[:, None, None], n[:, None], q), rtol=1e-10)


def test_smallness_depends_on_sizes_alone() -> None:
    assert small.is_small(np.full((25, 4), 14), 4, 32, 10)
    assert not small.is_small(np.full((10_000, 5), 24), 5, 32, 120)
