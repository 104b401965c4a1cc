"""Intervals of ratios over clusters."""

from __future__ import annotations

import math

import numpy as np
import pytest


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
        from dissensus.stats.cluster_ratio import ratio_interval

        low, high = ratio_interval(top.astype(float), given, topic, 0.95)
        inside += low <= truth <= high
        p = top.mean()
        binomial += abs(p - truth) <= 1.96 * math.sqrt(p * (1 - p) / len(top))
    assert 0.925 <= inside / rounds <= 0.98
    assert binomial / rounds < 0.85


def test_by_hand() -> None:
    """Two clusters of two: 3 of 4 hits; the variance from the two residuals, t with one degree of freedom."""
    from scipy.stats import t

    from dissensus.stats.cluster_ratio import ratio_interval

    low, high = ratio_interval(np.array([1.0, 1, 1, 0]), np.ones(4), np.array([7, 7, 9, 9]), 0.9)
    variance = 2 * ((2 - 1.5) ** 2 + (1 - 1.5) ** 2) / 16
    reach = t.ppf(0.95, 1) * math.sqrt(variance) / (0.75 * 0.25)
    centre = math.log(3)
    assert (low, high) == pytest.approx(tuple(1 / (1 + math.exp(-(centre + s * reach))) for s in (-1, 1)))


def test_without_variance_or_clusters() -> None:
    from dissensus.stats.cluster_ratio import ratio_interval

    ten = np.arange(10)
    assert ratio_interval(np.zeros(10), np.ones(10), ten, 0.95) == (0.0, pytest.approx(1 - 0.025 ** (1 / 10)))
    assert ratio_interval(np.ones(10), np.ones(10), ten, 0.95) == (pytest.approx(0.025 ** (1 / 10)), 1.0)
    assert ratio_interval(np.ones(3), np.ones(3), np.zeros(3, int), 0.95) == (0.0, 1.0)
    assert all(map(math.isnan, ratio_interval(np.empty(0), np.empty(0), np.empty(0, int), 0.95)))
