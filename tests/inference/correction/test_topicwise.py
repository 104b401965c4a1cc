"""Per-topic rectification: the formulas, and coverage."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from audited_study import study

import dissensus as ds
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.stats.intervals import quantile


def test_difference_estimator_below_15_topics():
    rng = np.random.default_rng(0)
    bronze, gold = rng.random((2, 40)), rng.random((2, 40))
    audited = np.arange(40) < 10
    made = rectify_topics(bronze, gold, audited)
    assert made.slope.tolist() == [1, 1]
    np.testing.assert_allclose(made.theta, bronze.mean(axis=1) + (gold - bronze)[:, audited].mean(axis=1))
    assert made.df == 9


def test_slope_minimises_the_variance():
    rng = np.random.default_rng(1)
    n, m = 60, 30
    bronze = rng.random((1, n))
    gold = 0.5 * bronze + 0.1 * rng.normal(size=(1, n))
    audited = np.arange(n) < m
    made = rectify_topics(bronze, gold, audited)
    assert made.slope[0] == pytest.approx(0.5, abs=0.15)
    assert made.df == m - 2
    plain = rectify_topics(bronze[:, :40], gold[:, :40], np.arange(40) < 14)
    assert plain.slope[0] == 1


@pytest.mark.parametrize(("n", "m"), [(50, 12), (60, 25)])
def test_coverage(n, m):
    """2,000 draws of topics (Monte-Carlo error 0.5 %)."""
    rng = np.random.default_rng(n)
    inside = 0
    for _ in range(2000):
        truth = rng.beta(2, 3, n)
        bronze = 0.6 * truth + 0.3 + 0.08 * rng.normal(size=n)
        made = rectify_topics(bronze[None], truth[None], np.arange(n) < m)
        half = quantile(0.95, made.df) * math.sqrt(made.covariance[0, 0])
        inside += abs(made.theta[0] - 0.4) <= half
    assert 0.935 - 0.005 <= inside / 2000 <= 0.965 + 0.005, inside / 2000


def test_coverage_of_these_topics():
    """The topics are fixed, the audited ones are drawn: 2,000 draws of 12 from 40 (Monte-Carlo error 0.5 %)."""
    rng = np.random.default_rng(5)
    truth = rng.beta(2, 3, 40)
    bronze = 0.6 * truth + 0.3 + 0.08 * rng.normal(size=40)
    inside = 0
    for _ in range(2000):
        audited = np.zeros(40, bool)
        audited[rng.choice(40, 12, replace=False)] = True
        made = rectify_topics(bronze[None], truth[None], audited, "these_topics")
        half = quantile(0.95, made.df) * math.sqrt(made.covariance[0, 0])
        inside += abs(made.theta[0] - truth.mean()) <= half
    assert 0.93 <= inside / 2000 <= 0.97, inside / 2000


def test_everything_audited_leaves_no_doubt():
    rng = np.random.default_rng(5)
    bronze, gold = rng.random((2, 12)), rng.random((2, 12))
    made = rectify_topics(bronze, gold, np.ones(12, bool), "these_topics")
    np.testing.assert_allclose(made.theta, gold.mean(axis=1))
    assert (made.covariance == 0).all()


def test_full_audit_gives_gold_scores_for_every_measure():
    runs, bronze, gold = study(topics=8)
    result = ds.correct(runs, bronze, gold, ["P@5", "AP", "nDCG@10", "RR"])
    truth = ds.evaluate(runs, gold, ["P@5", "AP", "nDCG@10", "RR"])
    for name in truth:
        expected = truth[name].mean("topic").values[0]
        got = result.table.filter(pl.col("measure") == name)["corrected"].to_numpy()
        np.testing.assert_allclose(got, expected, atol=1e-9)
    assert set(result.table["method"]) == {"rectified", "per-topic"}
