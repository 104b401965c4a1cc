"""The engine: one adjustment for p-values and intervals, on arrays, at sizes that people have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy import stats

from dissensus.errors import InputError
from dissensus.inference.comparison.engine import adjusted, check_correction, check_difference, pairs_of, t_pairs
from dissensus.stats.simultaneous import critical, largest_pair_z, share_reaching, shrunk


def family(n=6, topics=40, seed=0, gap=0.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=topics) + rng.normal(size=(n, topics)) + gap * np.arange(n)[:, None]
    return t_pairs("AP", x.mean(axis=1), np.cov(x) / topics, topics - 1.0)


@given(st.integers(2, 8), st.integers(3, 30), st.integers(0, 10_000), st.sampled_from(["max-t", "bonferroni", "none"]))
def test_interval_and_p_decide_alike(n, topics, seed, correction):
    one = adjusted([family(n, topics, seed, 0.3)], correction, 0.95, seed=seed)[0]
    assert ((one.p < 0.05) == ((one.low > 0) | (one.high < 0))).all()


@pytest.mark.parametrize("correction", ["holm", "bh"])
def test_stepwise_p_values_have_no_interval(correction):
    member = family(gap=0.3)
    one = adjusted([member], correction, 0.95)[0]
    assert np.isnan(one.low).all()
    assert np.isnan(one.high).all()
    if correction == "bh":
        assert one.p == pytest.approx(stats.false_discovery_control(member.p))
    assert (one.p >= member.p).all()


def test_max_t_lies_between_one_test_and_bonferroni():
    member = family()
    sharp, plain, blunt = (adjusted([member], c, 0.95)[0] for c in ("max-t", "none", "bonferroni"))
    for narrow, wide in ((plain, sharp), (sharp, blunt)):
        assert (wide.high - wide.low > narrow.high - narrow.low).all()
        assert (wide.p >= narrow.p - 1e-3).all()


def test_equal_correlations_give_tukeys_studentised_range():
    covariance = np.full((5, 5), 0.5) + 0.5 * np.eye(5)
    draws = largest_pair_z(covariance, *pairs_of(5), seed=1)
    assert critical(draws, 0.95) == pytest.approx(stats.studentized_range.ppf(0.95, 5, np.inf) / math.sqrt(2), abs=0.04)


def test_many_to_one_is_dunnetts():
    covariance = np.eye(5)
    draws = largest_pair_z(covariance, *pairs_of(5, baseline=0), seed=1)
    rng = np.random.default_rng(0)
    z = rng.normal(size=(200_000, 5))
    slow = np.quantile(np.abs((z[:, 1:] - z[:, :1]) / math.sqrt(2)).max(axis=1), 0.95)
    assert critical(draws, 0.95) == pytest.approx(slow, abs=0.04)


@pytest.mark.parametrize(("n", "topics"), [(5, 5), (12, 10), (8, 50)])
def test_families_fail_in_five_percent(n, topics):
    """Equal systems: 6, 7, 5 % (Monte-Carlo error 1.3 %); the multivariate t fails in 12 and 14 % of the first two."""
    wrong, times = 0, 300
    for seed in range(times):
        member = family(n, topics, seed)
        draws = largest_pair_z(member.covariance, member.a, member.b, df=topics - 1, draws=1000, seed=seed)
        wrong += bool((stats.norm.isf(member.p / 2) > critical(draws, 0.95)).any())
    assert wrong / times < 0.06 + 2.5 * 0.0126


def test_clustered_systems_are_not_punished():
    rng = np.random.default_rng(3)
    base = rng.normal(size=(3, 50))
    x = np.repeat(base, 10, axis=0) + 0.05 * rng.normal(size=(30, 50))
    covariance = np.cov(x) / 50
    q = critical(largest_pair_z(covariance, *pairs_of(30), df=49, seed=0), 0.95)
    assert q < stats.norm.isf(0.025 / 435) - 0.15  # Bonferroni's


def test_shrinking_keeps_variances_and_known_covariances():
    rng = np.random.default_rng(0)
    covariance = np.cov(rng.normal(size=(6, 8)))
    moved = shrunk(covariance, 7)
    assert np.diag(moved) == pytest.approx(np.diag(covariance))
    assert np.linalg.eigvalsh(moved).min() > 0
    assert np.array_equal(shrunk(covariance, None), shrunk(covariance, math.inf))


def test_the_critical_value_is_where_p_crosses():
    draws = np.sort(np.random.default_rng(0).random(999))
    for level in (0.5, 0.9, 0.95, 0.99):
        q = critical(draws, level)
        assert share_reaching(draws, q) >= 1 - level - 1e-12
        assert share_reaching(draws, np.nextafter(q, 2)) < 1 - level
    assert critical(draws, 0.9999) == math.inf


def test_pairs_without_an_answer_stay_out():
    member = family(4, 20)
    p, low, high = member.p.copy(), *member.interval(0.95)
    theta = np.array([0.5, np.nan, 0.3, 0.1])
    covariance = np.eye(4) * 0.001
    covariance[1, :] = covariance[:, 1] = np.nan
    one = adjusted([t_pairs("AP", theta, covariance, 19.0)], "max-t", 0.95)[0]
    unknown = np.isnan(one.p)
    assert unknown.tolist() == [True, False, False, True, True, False]
    assert np.isnan(one.low[unknown]).all()
    assert np.isfinite(p).all()
    assert (low < high).all()


def test_several_measures_share_the_error_rate():
    member = family(gap=0.3)
    alone, both = adjusted([member], "max-t", 0.95)[0], adjusted([member, member], "max-t", 0.95)[0]
    assert both.p == pytest.approx(np.minimum(2 * alone.p, 1))
    assert (both.high - both.low > alone.high - alone.low).all()


def test_a_hundred_systems_are_one_family():
    one = adjusted([family(100, 50, gap=0.01)], "max-t", 0.95)[0]
    assert len(one.p) == 4950
    assert ((one.p < 0.05) == ((one.low > 0) | (one.high < 0))).all()


def test_an_unknown_adjustment_is_refused():
    with refused(InputError, 'correction="fdr"'):
        check_correction("fdr")


@pytest.mark.parametrize("size", [0.0, -0.1, math.nan, math.inf])
def test_a_difference_that_matters_has_a_size(size):
    check_difference(None)
    check_difference(0.01)
    with refused(InputError, 0):
        check_difference(size)
