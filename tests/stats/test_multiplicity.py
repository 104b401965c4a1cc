"""Corrections against statsmodels; randomised Tukey against all permutations and under the null."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from refusals import refused
from statsmodels.stats.multitest import multipletests

from dissensus.errors import InputError
from dissensus.stats.multiplicity import adjust, holm, randomized_tukey


def test_corrections_are_statsmodels() -> None:
    rng = np.random.default_rng(0)
    names: tuple[tuple[Any, str], ...] = (("holm", "holm"), ("bonferroni", "bonferroni"), ("bh", "fdr_bh"))
    for size in (1, 2, 5, 12, 40):
        p = np.round(rng.beta(0.4, 2, size), 2)  # ties, zeros and ones among them
        for ours, theirs in names:
            np.testing.assert_allclose(adjust(p, ours), multipletests(p, method=theirs)[1], atol=1e-12)
        np.testing.assert_array_equal(adjust(p, "none"), p)


def test_shape_is_kept_and_input_left_alone() -> None:
    p = np.array([[0.01, 0.5], [0.02, 0.04]])
    before = p.copy()
    assert holm(p).shape == (2, 2)
    np.testing.assert_array_equal(p, before)


@pytest.mark.parametrize("p", [[0.1, 1.2], [-0.1], [float("nan")]])
def test_what_is_no_p(p: list[float]) -> None:
    with refused(InputError, 0, 1, "p_values"):
        holm(p)


def test_unknown_correction() -> None:
    with refused(InputError, "none", "bonferroni", "holm", "bh"):
        adjust([0.1], "sidak")  # type: ignore[arg-type]


def test_tukey_comes_near_the_exact_permutation_distribution() -> None:
    scores = np.array([[0.1, 0.5, 0.3], [0.2, 0.3, 0.9], [0.4, 0.6, 0.1], [0.0, 0.2, 0.4]])
    ranges = []
    for shuffles in itertools.product(itertools.permutations(range(3)), repeat=4):
        means = np.mean([row[list(s)] for row, s in zip(scores, shuffles, strict=True)], axis=0)
        ranges.append(means.max() - means.min())
    result = randomized_tukey(scores, replicates=20_000, seed=0)
    for a, b in itertools.combinations(range(3), 2):
        exact = np.mean(np.array(ranges) >= abs(result.difference[a, b]) - 1e-12)
        assert result.p_value[a, b] == pytest.approx(exact, abs=0.012)


def test_tukey_is_symmetric_seeded_and_never_zero() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((30, 4)) + np.array([0, 0, 0, 5.0])
    result = randomized_tukey(scores, replicates=199, seed=3)
    np.testing.assert_array_equal(result.p_value, result.p_value.T)
    np.testing.assert_array_equal(result.difference, -result.difference.T)
    np.testing.assert_array_equal(result.p_value, randomized_tukey(scores, replicates=199, seed=3).p_value)
    assert result.p_value[0, 3] == 1 / 200
    assert (np.diag(result.p_value) == 1).all()


def test_tukey_keeps_the_family_error() -> None:
    rng = np.random.default_rng(1)
    any_find = []
    for i in range(250):
        scores = rng.normal(size=(15, 5)) + rng.normal(size=(15, 1))
        any_find.append((randomized_tukey(scores, replicates=199, seed=i).p_value <= 0.05).any())
    assert np.mean(any_find) == pytest.approx(0.05, abs=0.035)


@pytest.mark.parametrize(
    ("scores", "value"),
    [(np.zeros((1, 3)), "(1, 3)"), (np.zeros(3), "(3,)"), (np.full((3, 3), np.nan), 9)],
)
def test_tukey_wants_a_full_matrix(scores: np.ndarray, value: object) -> None:
    with refused(InputError, value):
        randomized_tukey(scores)
