"""Tests on per-topic scores, against scipy and against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from score_datasets import dataset, three_systems

import dissensus as ds
from dissensus.inference.comparison import tests as paired_tests


@pytest.fixture(name="scores")
def _scores():
    return three_systems()


def test_paired_t_is_scipys(scores):
    x = scores["AP"].values[0]
    result = ds.compare(scores, "AP", correction="none")
    for i, j in itertools.combinations(range(3), 2):
        expected = stats.ttest_rel(x[i], x[j])
        got = result[f"s{i}", f"s{j}"]
        assert got.p_value == pytest.approx(expected.pvalue)
        assert got.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
        assert got.difference == pytest.approx(float((x[i] - x[j]).mean()))
        assert got.effect == pytest.approx(float((x[i] - x[j]).mean() / (x[i] - x[j]).std(ddof=1)))


def test_welch_is_scipys_on_different_topics(scores):
    x = scores["AP"].values[0].copy()
    x[0, :10], x[1, 30:] = np.nan, np.nan
    result = ds.compare(dataset([x[:2]]), "AP", "welch", "none")
    expected = stats.ttest_ind(x[0, 10:], x[1, :30], equal_var=False)
    assert result.p_value == pytest.approx(expected.pvalue)
    assert result.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_wilcoxon_is_scipys(scores):
    x = scores["AP"].values[0]
    got = ds.compare(scores, "AP", "wilcoxon", "none")["s0", "s2"]
    assert got.p_value == pytest.approx(stats.wilcoxon(x[0] - x[2]).pvalue)
    assert got.interval[0] < got.difference < got.interval[1]


def test_randomization_by_enumeration():
    rng = np.random.default_rng(2)
    d = rng.normal(0.3, 0.5, 9)
    result = ds.compare(dataset([[d, np.zeros(9) + 1e-9]]), "AP", "randomization", "none")
    means = [abs(np.mean(d * np.array(s))) for s in itertools.product((1, -1), repeat=9)]
    assert result.p_value == pytest.approx(np.mean(np.array(means) >= abs(d.mean()) - 1e-12), abs=1e-6)
    assert result.p_value > 0


@pytest.mark.parametrize("topics", [6, 9, 30])
def test_sign_flip_intervals_equal_a_search(topics):
    """Slow twin: bisect for the farthest shift that more than 5 % of the flips, the data among them, reach."""
    rng = np.random.default_rng(topics)
    d = rng.normal(0.1, 0.3, topics)
    flips = paired_tests._signs(topics, 2000, 7)
    moved, centre, mean = flips @ d / topics, flips.mean(axis=1), d.mean()

    def kept(shift):
        reached = np.count_nonzero(np.abs(moved - shift * centre) >= abs(mean - shift) - 1e-12)
        return (reached + 1) / (len(flips) + 1) > 0.05

    ends = []
    for side in (-1, 1):
        near, far = 0.0, 100.0
        for _ in range(60):
            middle = (near + far) / 2
            near, far = (middle, far) if kept(mean + side * middle) else (near, middle)
        ends.append(mean + side * near)
    _, low, high = paired_tests._flipped(d, moved, centre, 0.95)
    assert (low, high) == pytest.approx(ends, abs=1e-9)


def test_five_topics_cannot_reject_any_shift():
    """With 2⁵ flips the smallest p is 0.0625: no shift is rejected at 5 %, and the interval says so."""
    result = ds.compare(dataset([[0.1 + np.arange(5) / 10, np.full(5, 0.1)]]), "AP", "randomization", "none")
    assert result.interval == (-math.inf, math.inf)
    assert result.p_value == pytest.approx(0.125)
