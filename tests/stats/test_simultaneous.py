"""The largest of many: against closed forms and by coverage."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from scipy import stats

from dissensus.errors import InputError
from dissensus.stats.intervals import quantile
from dissensus.stats.simultaneous import max_t_p_values, max_t_quantile


def test_one_estimate_needs_no_adjustment() -> None:
    assert max_t_quantile([[4.0]]) == quantile(0.95)
    assert max_t_quantile([[4.0]], df=5) == quantile(0.95, 5)


def test_independent_estimates_follow_sidak() -> None:
    exact = stats.norm.ppf(0.5 + 0.5 * 0.95 ** (1 / 8))
    assert max_t_quantile(np.diag(np.arange(1.0, 9.0))) == pytest.approx(exact, abs=0.02)


def test_all_pairs_of_equal_groups_follow_tukey() -> None:
    k, df = 5, 20
    pairs = [(a, b) for a in range(k) for b in range(a)]
    contrast = np.array([[(i == a) - (i == b) for i in range(k)] for a, b in pairs], float)
    exact = stats.studentized_range.ppf(0.95, k, df) / np.sqrt(2)
    assert max_t_quantile(contrast @ contrast.T, df=df) == pytest.approx(exact, abs=0.03)


def test_perfect_correlation_costs_nothing_and_scale_does_not_matter() -> None:
    sd = np.array([1.0, 10.0, 0.1])
    assert max_t_quantile(np.outer(sd, sd)) == pytest.approx(1.96, abs=0.02)
    correlated = 0.5 + 0.5 * np.eye(3)
    assert max_t_quantile(correlated) == pytest.approx(max_t_quantile(correlated * np.outer(sd, sd)), abs=1e-9)


def test_estimates_that_are_known_are_left_out() -> None:
    assert max_t_quantile(np.diag([1.0, 0.0, 0.0])) == quantile(0.95)


def test_adjusted_p_values_lie_between_raw_and_bonferroni() -> None:
    t = np.array([1.0, 2.5, 3.5])
    p = max_t_p_values(t, np.eye(3))
    raw = 2 * stats.norm.sf(t)
    assert (p >= raw - 0.003).all()
    assert (p <= 3 * raw + 0.003).all()
    assert p == pytest.approx(1 - (1 - raw) ** 3, abs=0.005)
    assert max_t_p_values([50.0], np.eye(1), draws=999)[0] == 0.001


def test_seeded() -> None:
    assert max_t_quantile(np.eye(4), seed=1) == max_t_quantile(np.eye(4), seed=1)


@pytest.mark.parametrize(
    "matrix",
    [
        np.ones((2, 3)),  # not square
        np.array([[1.0, 0.2], [0.9, 1.0]]),  # not symmetric
        np.array([[1.0, 2.0], [2.0, 1.0]]),  # not positive semidefinite
        np.diag([1.0, -1.0]),
    ],
)
def test_what_is_no_covariance(matrix: np.ndarray) -> None:
    with refused(InputError):
        max_t_quantile(matrix)


def test_too_few_draws() -> None:
    with refused(InputError, "draws=5"):
        max_t_quantile(np.eye(2), draws=5)
