"""Probabilities and quantiles in numpy, held against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special as sc

from dissensus.stats.distributions import chdtrc, digamma, ndtr, ndtri, stdtr, stdtrit

DF = np.array([1.0, 2, 2.5, 3, 7.3, 24, 49, 99, 101, 999])


def test_normal_probabilities_and_quantiles() -> None:
    x = np.linspace(-37, 9, 2001)
    np.testing.assert_allclose(ndtr(x), sc.ndtr(x), rtol=1e-12)
    p = np.r_[10.0 ** -np.arange(1, 290, 7), np.linspace(0.001, 0.999, 501), 1 - 1e-12]
    np.testing.assert_allclose(ndtri(p), sc.ndtri(p), rtol=1e-12, atol=1e-15)
    assert ndtri([0.0, 1.0]).tolist() == [-np.inf, np.inf]
    assert np.isnan(ndtri(1.5))


@pytest.mark.parametrize("df", DF)
def test_student_probabilities(df: float) -> None:
    t = np.r_[0.0, 10.0 ** np.linspace(-3, 1.5, 200)]
    t = t[sc.stdtr(df, -t) > 1e-200]
    np.testing.assert_allclose(stdtr(df, -t), sc.stdtr(df, -t), rtol=2e-12)
    np.testing.assert_allclose(stdtr(df, t), sc.stdtr(df, t), rtol=1e-13)
    few = t[::17]  # one by one instead of all at once
    np.testing.assert_allclose(stdtr(df, -few), sc.stdtr(df, -few), rtol=2e-12)


@pytest.mark.parametrize("df", DF)
def test_student_quantiles(df: float) -> None:
    p = np.r_[10.0 ** -np.linspace(1, 9, 20), np.linspace(0.01, 0.99, 99), 0.5, 1 - 1e-9]
    np.testing.assert_allclose(stdtrit(df, p), sc.stdtrit(df, p), rtol=1e-10, atol=1e-15)


def test_chi_square() -> None:
    for df in (1, 2, 3, 10, 57, 400):
        x = np.r_[0.0, df * 10.0 ** np.linspace(-3, 0.8, 60)]
        np.testing.assert_allclose(chdtrc(df, x), sc.chdtrc(df, x), rtol=1e-11)


def test_digamma_from_tiny_to_huge() -> None:
    x = np.r_[np.logspace(-6, 8, 500), np.arange(1, 200) / 7]
    np.testing.assert_allclose(digamma(x), sc.digamma(x), rtol=1e-13, atol=1e-14)
    assert digamma(x.reshape(3, -1)).shape == (3, len(x) // 3)


def test_shapes_and_what_is_undefined() -> None:
    assert isinstance(float(stdtr(5, 0.0)), float)
    assert stdtr(np.array([5.0, np.inf]), 0.0).shape == (2,)
    assert stdtr(5, [-np.inf, np.inf]).tolist() == [0.0, 1.0]
    assert np.isnan(stdtr(5, np.nan))
    assert stdtrit(np.full((2, 3), 4.0), 0.975).shape == (2, 3)
    assert stdtrit(4, [0.0, 1.0]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("df", [10_001.0, 25_000.0, 1e6])
def test_quantiles_of_many_degrees_of_freedom_by_their_series(df: float) -> None:
    p = np.r_[10.0 ** -np.linspace(1, 8.6, 20), np.linspace(0.01, 0.99, 99), 1 - 1e-6]
    np.testing.assert_allclose(stdtrit(df, p), sc.stdtrit(df, p), rtol=1e-12, atol=1e-14)


def test_many_different_quantiles_are_those_of_one_at_a_time() -> None:
    df = np.linspace(3, 900, 400)
    together = stdtrit(df, 0.975)
    np.testing.assert_allclose(together[::50], [float(stdtrit(d, 0.975)) for d in df[::50]], rtol=1e-11)
