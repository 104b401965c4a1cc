"""Sets that hold at every look: wealth as products, the betting set against a grid, and coverage over all looks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dissensus.stats.anytime import (
    BETS,
    betting_set,
    crossing,
    interval_of,
    log_both,
    log_wealth,
    mixture_multiplier,
    mixture_scale,
    wealth_path,
)

RNG = np.random.default_rng(0)
Z = RNG.random(30)
LOW, HIGH = np.full(30, -0.5), np.linspace(1.0, 2.0, 30)


def slow_wealth(z: np.ndarray, m: float) -> tuple[float, float]:
    up = [math.prod(1 + k * (x - m) / (m - a) for x, a in zip(z, LOW, strict=False)) for k in BETS]
    down = [math.prod(1 - k * (x - m) / (b - m) for x, b in zip(z, HIGH, strict=False)) for k in BETS]
    return math.log(sum(up) / len(up)), math.log(sum(down) / len(down))


def test_wealth_is_a_mean_of_products() -> None:
    up, down = wealth_path(Z, LOW, HIGH, 0.4)
    for n in (1, 7, 30):
        expected = slow_wealth(Z[:n], 0.4)
        assert (up[n - 1], down[n - 1]) == pytest.approx(expected)
        assert log_wealth(Z[:n], LOW[:n], HIGH[:n], 0.4) == pytest.approx(expected)
    assert math.exp(log_both(math.log(3.0), math.log(5.0))) == pytest.approx(4)


def test_the_set_is_where_wealth_stays_below_the_bound() -> None:
    z = np.where(RNG.random(60) < 0.8, 1.0, 0.0)
    low, high = np.zeros(60), np.ones(60)
    lower, upper = betting_set(z, low, high, (0.0, 1.0), alpha=0.1)
    grid = np.linspace(0.001, 0.999, 999)
    inside = [m for m in grid if log_both(*log_wealth(z, low, high, m)) < math.log(10)]
    assert (lower, upper) == pytest.approx((min(inside), max(inside)), abs=0.001)


def test_an_empty_set_and_one_that_fills_its_bounds() -> None:
    assert np.isnan(interval_of(lambda m: 1 + m**2, (-1.0, 1.0), 0.5)).all()
    assert interval_of(lambda m: m**2 - 0.25, (-1.0, 0.2), 0.9).tolist() == pytest.approx([-0.5, 0.2])
    assert crossing(lambda m: m - 1, 3.0, 0.0) == pytest.approx(1.0)


def test_coverage_over_all_looks() -> None:
    """P(Δ leaves the set at any of 60 looks) is at most α; both tails of a lopsided distribution."""
    missed = 0
    for seed in range(300):
        z = np.where(np.random.default_rng(seed).random(60) < 0.1, 1.0, 0.0)
        up, down = wealth_path(z, np.full(60, -1e-9), np.full(60, 1 + 1e-9), 0.1)
        missed += bool((log_both(up, down) > math.log(10)).any())
    assert missed / 300 <= 0.1


def test_the_mixture_is_narrowest_where_it_was_tuned() -> None:
    """m/√V·… : with scale tuned at V = 30, the half width m(V)·√V/V is beaten by no other scale at V = 80."""
    best = mixture_scale(30.0, 0.05)
    at = [float(mixture_multiplier(80.0, best * f, 0.05)) for f in (0.5, 1.0, 2.0)]
    assert at[1] < min(at[0], at[2])
    x = best * 50.0
    assert float(mixture_multiplier(50.0, best, 0.05)) == pytest.approx(
        math.sqrt((1 + x) / x * math.log((1 + x) / 0.05**2))
    )
