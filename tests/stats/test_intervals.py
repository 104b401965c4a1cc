"""Intervals against scipy and statsmodels, by hand, and by coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from dissensus.errors import InputError
from dissensus.stats.intervals import (
    ConfidenceSet,
    Interval,
    fieller,
    lang_reiczigel,
    p_text,
    quantile,
    t_interval,
    two_sided_p,
    wald,
    wilson,
)


def test_quantiles_and_p_values_are_scipys() -> None:
    assert quantile(0.9) == pytest.approx(stats.norm.ppf(0.95))
    assert quantile(0.99, 7) == pytest.approx(stats.t.ppf(0.995, 7))
    assert two_sided_p(-2.1) == pytest.approx(2 * stats.norm.sf(2.1))
    assert two_sided_p(2.1, 5) == pytest.approx(2 * stats.t.sf(2.1, 5))
    assert quantile(0.95, math.inf) == quantile(0.95)


def test_t_interval_is_scipys() -> None:
    x = np.random.default_rng(0).random(12)
    theirs = stats.t.interval(0.9, 11, loc=x.mean(), scale=stats.sem(x))
    assert tuple(t_interval(x, level=0.9)) == pytest.approx(theirs)


@pytest.mark.parametrize(("hits", "n"), [(0, 10), (10, 10), (3, 17), (250, 1000)])
def test_wilson_is_statsmodels(hits: int, n: int) -> None:
    assert tuple(wilson(hits, n)) == pytest.approx(proportion_confint(hits, n, method="wilson"), abs=1e-12)


def test_an_interval_reads_well() -> None:
    interval = Interval(0.1, 0.3, 0.95, "t", False, "only 4 topics: unreliable")
    assert str(interval) == "[0.1000, 0.3000] (95%, t); only 4 topics: unreliable"
    assert 0.2 in interval
    assert 0.4 not in interval
    assert interval.width == pytest.approx(0.2)


# ── Fieller ──
@pytest.mark.parametrize(
    ("n", "d", "vn", "vd", "cov"),
    [(2, 1, 0.01, 0.01, 0), (2, 1, 0.01, 0.01, 0.005), (-1, 3, 0.2, 0.1, -0.1), (2, 0.1, 0.01, 0.01, 0),
     (0.1, 0.1, 0.01, 0.01, 0), (-2, 0.1, 0.01, 0.01, 0.002), (0.0, 5.0, 0.0, 0.1, 0)],
)  # fmt: skip
def test_fieller_is_the_set_it_is_defined_as(n: float, d: float, vn: float, vd: float, cov: float) -> None:
    region = fieller(n, d, vn, vd, covariance=cov)
    z2 = stats.norm.ppf(0.975) ** 2
    for x in np.concatenate([np.linspace(-60, 60, 4001), [n / d]]):
        inside = (n - x * d) ** 2 <= z2 * (vn - 2 * x * cov + x * x * vd) + 1e-12
        near_edge = any(abs(x - e) < 1e-9 for piece in region.pieces for e in piece)
        assert near_edge or (x in region) == inside


def test_fieller_kinds() -> None:
    assert fieller(2, 1, 0.01, 0.01).kind == "interval"
    rays = fieller(2, 0.1, 0.01, 0.01)
    assert rays.kind == "rays"
    assert str(rays).startswith("(-inf, ")
    assert "∪" in str(rays)
    assert fieller(0.1, 0.1, 0.01, 0.01).kind == "line"
    z = quantile(0.95)
    assert fieller(2, z * 0.1, 0.01, 0.01).kind in ("rays", "interval")  # the edge, up to rounding


def test_fieller_covers_where_the_delta_method_does_not() -> None:
    rng = np.random.default_rng(1)
    ratio, d, sd = 2.0, 1.0, 0.4  # D/se(D) = 2.5
    n_hat, d_hat = rng.normal(ratio * d, 0.1, 2000), rng.normal(d, sd, 2000)
    covered = np.mean([ratio in fieller(a, b, 0.01, sd**2) for a, b in zip(n_hat, d_hat, strict=True)])
    assert covered == pytest.approx(0.95, abs=0.015)


# ── Lang–Reiczigel ──
def test_the_worked_example() -> None:
    j, s, n = 0.6260, 0.414, 10278
    interval = lang_reiczigel(j, j * (1 - j) / (s * s / n), (43, 59), (67, 84))
    assert interval.low == pytest.approx(0.649, abs=0.0005)
    assert interval.high == pytest.approx(1.014, abs=0.0005)


def test_lang_reiczigel_covers() -> None:
    rng = np.random.default_rng(2)
    true, se, sp, n, n1, n0 = 0.3, 0.85, 0.9, 300, 60, 80
    rate = true * se + (1 - true) * (1 - sp)
    hits = 0
    for _ in range(2000):
        interval = lang_reiczigel(rng.binomial(n, rate) / n, n, (rng.binomial(n1, se), n1), (rng.binomial(n0, sp), n0))
        hits += true in interval
    assert hits / 2000 == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    ("call", "values"),
    [
        (lambda: t_interval([1.0]), (1,)),
        (lambda: t_interval([1.0, math.nan]), (1,)),
        (lambda: t_interval([[1.0, 2.0]]), ("(1, 2)",)),
        (lambda: wald(0, -1), ("se=-1",)),
        (lambda: wald(0, math.nan), ("se=nan",)),
        (lambda: wilson(5, 4), ("hits=5", "n=4")),
        (lambda: wilson(0, 0), ("hits=0", "n=0")),
        (lambda: quantile(95), ("level=95",)),
        (lambda: fieller(1, 1, -1, 0), (0,)),
        (lambda: lang_reiczigel(1.2, 10, (1, 2), (1, 2)), ("observed=1.2", "n=10")),
        (lambda: lang_reiczigel(0.2, 10, (3, 2), (1, 2)), ("relevant=(3, 2)",)),
        (lambda: lang_reiczigel(0.2, 10, (1, 2), (1, 2)), ("Se", "Sp")),
    ],
)
def test_wrong_input_gives_no_interval(call: object, values: tuple[object, ...]) -> None:
    with refused(InputError, *values):
        call()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("p", "digits", "text"),
    [
        (0.0, 3, "< 0.001"),
        (0.00099, 3, "< 0.001"),
        (0.001, 3, "= 0.001"),
        (1.0, 3, "= 1.000"),
        (0.00009, 4, "< 0.0001"),
    ],
)
def test_no_p_value_is_zero(p, digits, text):
    assert p_text(p, digits) == text


def test_intervals_cover_where_the_binomial_one_does_not():
    """Topics differ in how often users agree; the binomial interval takes their labels for independent."""
    rng = np.random.default_rng(11)
    truth, inside, binomial, rounds = 0.3, 0, 0, 400
    for _ in range(rounds):
        rate = rng.beta(3, 7, 40)  # mean 0.3, one per topic
        said = rng.random((40, 15)) < rate[:, None]
        top = np.where(said, 1, 0).ravel()
        topic = np.repeat(np.arange(40), 15)
        given = np.ones(len(top))
        from dissensus.stats.intervals import ratio_interval

        low, high = ratio_interval(top.astype(float), given, topic, 0.95)
        inside += low <= truth <= high
        p = top.mean()
        binomial += abs(p - truth) <= 1.96 * math.sqrt(p * (1 - p) / len(top))
    assert 0.925 <= inside / rounds <= 0.98
    assert binomial / rounds < 0.85


def test_by_hand() -> None:
    """Two clusters of two: 3 of 4 hits; the variance from the two residuals, t with one degree of freedom."""
    from scipy.stats import t

    from dissensus.stats.intervals import ratio_interval

    low, high = ratio_interval(np.array([1.0, 1, 1, 0]), np.ones(4), np.array([7, 7, 9, 9]), 0.9)
    variance = 2 * ((2 - 1.5) ** 2 + (1 - 1.5) ** 2) / 16
    reach = t.ppf(0.95, 1) * math.sqrt(variance) / (0.75 * 0.25)
    centre = math.log(3)
    assert (low, high) == pytest.approx(tuple(1 / (1 + math.exp(-(centre + s * reach))) for s in (-1, 1)))


def test_without_variance_or_clusters() -> None:
    from dissensus.stats.intervals import ratio_interval

    ten = np.arange(10)
    assert ratio_interval(np.zeros(10), np.ones(10), ten, 0.95) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    assert ratio_interval(np.ones(10), np.ones(10), ten, 0.95) == (pytest.approx(0.025 ** (1 / 10)), 1.0)
    assert ratio_interval(np.ones(3), np.ones(3), np.zeros(3, int), 0.95) == (0.0, 1.0)
    assert all(map(math.isnan, ratio_interval(np.empty(0), np.empty(0), np.empty(0, int), 0.95)))


def test_fieller_agrees_with_a_grid():
    """The slow twin: try every x."""
    rng = np.random.default_rng(0)
    grid = np.linspace(-50, 50, 20001)
    for _ in range(50):
        n, d, vn, vd = rng.normal(), rng.normal(), rng.random(), rng.random() * 0.5
        cov = rng.uniform(-0.9, 0.9) * math.sqrt(vn * vd)
        found = ConfidenceSet(fieller(n, d, vn, vd, covariance=cov, level=math.erf(1.5 / math.sqrt(2))).pieces)
        inside = (n - grid * d) ** 2 <= 1.5**2 * (vn - 2 * grid * cov + grid**2 * vd)
        assert [x in found for x in grid[::40]] == inside[::40].tolist()
    assert str(ConfidenceSet(((-math.inf, 1.0), (2.0, math.inf)))) == "(−∞, 1.0000] ∪ [2.0000, ∞)"
