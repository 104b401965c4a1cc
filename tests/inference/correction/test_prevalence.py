"""Shares of gold grades in strata: the kernel against EM written plainly."""

from __future__ import annotations

import numpy as np

from dissensus.inference.correction import prevalence as module
from dissensus.inference.correction.prevalence import ROUNDS, STRENGTH, prevalence


def plain(bronze, matrix, prior):
    """One draw, as the formula says."""
    share = prior.copy()
    for _ in range(ROUNDS):
        back = (bronze / (share @ matrix)) @ matrix.T
        share = (share * back + STRENGTH * prior) / (bronze.sum(axis=1, keepdims=True) + STRENGTH)
    return share


def test_every_draw_is_the_plain_algorithm():
    rng = np.random.default_rng(0)
    bronze = rng.integers(0, 20, (7, 5)).astype(float)
    matrix = rng.dirichlet(np.ones(5), (4, 3)).transpose(0, 2, 1)
    prior = rng.dirichlet(np.ones(4), (7, 3)).transpose(0, 2, 1)
    made = prevalence(bronze, matrix, prior)
    for i in range(3):
        np.testing.assert_allclose(made[:, :, i], plain(bronze, matrix[:, :, i], prior[:, :, i]), atol=1e-14)
    np.testing.assert_allclose(made.sum(axis=1), 1)


def test_an_empty_stratum_is_like_the_larger_one():
    prior = np.array([[[0.7], [0.3]]])
    sure = np.array([[0.9, 0.1], [0.2, 0.8]])[:, :, None]
    np.testing.assert_allclose(prevalence(np.zeros((1, 2)), sure, prior), prior)


def test_long_walks_are_not_taken_for_short_ones():
    """Fifteen rounds over labels, grades and draws: minutes in plain Python, where the arrays alone look small."""
    tables = np.full((3, 2), 5.0), np.full((2, 2, 7), 0.5), np.full((3, 2, 7), 0.5)
    assert module.walked(*tables, 8.0, 15, tables[2].copy()) == 3 * 2 * 2 * 7 * 15


def test_numpy_and_compiled_code_give_the_same_bits():
    rng = np.random.default_rng(1)
    bronze = rng.integers(0, 20, (6, 4)).astype(float)
    matrix = rng.dirichlet(np.ones(4), (3, 5)).transpose(0, 2, 1).copy()
    prior = rng.dirichlet(np.ones(3), (6, 5)).transpose(0, 2, 1).copy()
    fast, slow = prior.copy(), prior.copy()
    module.expectation_maximisation.fast(bronze, matrix, prior, 8.0, 15, fast)
    module.expectation_maximisation.vectorised(bronze, matrix, prior, 8.0, 15, slow)
    np.testing.assert_array_equal(fast, slow)
