"""Gaps to random judges against their slow twins."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.judges.aware.distances import BANDWIDTH, POINTS, densities, gap_sums
from dissensus.stats.correlation import kendall_tau, tau_ap


def test_gaps_are_their_slow_twins() -> None:
    rng = np.random.default_rng(5)
    mine, random = rng.integers(0, 11, (2, 7, 3)) / 10, rng.integers(0, 11, (5, 7, 3)) / 10
    found = gap_sums(mine, random)

    def density(x: np.ndarray) -> np.ndarray:
        grid = np.linspace(0, 1, POINTS)
        d = np.exp(-0.5 * ((grid[:, None] - x.ravel()[None, :]) / BANDWIDTH) ** 2).sum(axis=1)
        return d / d.sum()

    def kl(x: np.ndarray, y: np.ndarray) -> float:
        p, q = np.maximum(density(x), 1e-300), np.maximum(density(y), 1e-300)
        return float((p * np.log(p / q)).sum())

    for k, name in itertools.product(range(2), ("sgl", "tpc")):
        tables = [(mine[k], r) for r in random] if name == "sgl" else None
        for t in [None] if name == "sgl" else range(3):
            pairs = tables or [(mine[k][:, [t]], r[:, [t]]) for r in random]
            at = (k,) if t is None else (k, t)
            flat = [(a.mean(axis=1), b.mean(axis=1)) for a, b in pairs]
            assert found[name, "fro"][at] == pytest.approx(sum(np.sqrt(((a - b) ** 2).mean()) for a, b in pairs))
            assert found[name, "rmse"][at] == pytest.approx(sum(np.sqrt(((a - b) ** 2).mean()) for a, b in flat))
            assert found[name, "kld"][at] == pytest.approx(sum(1 - np.exp(-kl(a, b)) for a, b in pairs), abs=2e-3)
            assert found[name, "tau"][at] == pytest.approx(sum(1 - abs(kendall_tau(a, b)) for a, b in flat), abs=1e-6)
            assert found[name, "apc"][at] == pytest.approx(sum(1 - abs(tau_ap(a, b)) for a, b in flat), abs=1e-6)


def test_constant_scores_have_no_gap_and_densities_are_densities() -> None:
    random = np.random.default_rng(0).random((4, 6, 2))
    found = gap_sums(np.full((1, 6, 2), 0.4), random)
    assert all((value == 0).all() for value in found.values())
    d = densities(np.array([[0.5] * 8]))
    assert np.argmax(d) in (49, 50)
    assert d.sum() / 99 / BANDWIDTH / np.sqrt(2 * np.pi) == pytest.approx(8, rel=0.01)
