"""From gaps to weights, by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from rankings import judged_runs
from refusals import refused, warned
from wording import phrase

from dissensus.errors import InputError, ReliabilityWarning
from dissensus.judging.aware.api import aware
from dissensus.judging.aware.estimators import (
    BANDWIDTH,
    ESTIMATORS,
    POINTS,
    Estimator,
    closeness,
    densities,
    gap_sums,
    weights,
)
from dissensus.stats.correlation import kendall_tau, tau_ap


def test_all_zero_weights_fall_back_to_equal_ones_with_a_warning() -> None:
    runs, judgments, _ = judged_runs({"idle": -1.0, "lazy": -1.0}, seed=12)
    with warned(ReliabilityWarning, "sgl_rmse_msd", 6):
        scores = aware(runs, judgments, "AP", replicates=5)
    assert scores["weight"].isel(assessor=slice(1, None)).values == pytest.approx(0.5)


def test_weights_by_hand() -> None:
    """Gaps of two assessors to three classes of random judges; the second did not judge the second topic."""
    gaps = {("sgl", "rmse"): np.array([[0.2, 0.4], [0.3, 0.1], [0.4, 0.6]])}
    judged = np.array([[True, True], [True, False]])
    for name, raw in (("md", (0.2, 0.1)), ("msd", (0.04, 0.01)), ("med", (0.9, 1.1))):
        found = weights(gaps, Estimator.named(f"sgl_rmse_{name}"), judged)
        assert found[:, 0].tolist() == pytest.approx([raw[0] / sum(raw), raw[1] / sum(raw)])
        assert found[:, 1].tolist() == [1, 0]
    assert weights(gaps, Estimator.named("uni"), judged).tolist() == [[0.5, 1], [0.5, 0]]


def test_weights_by_topic() -> None:
    gaps = {("tpc", "tau"): np.array([[[0.5, 0.0], [0.5, 1.0]]] * 3)}
    found = weights(gaps, Estimator.named("tpc_tau_md"), np.ones((2, 2), bool))
    assert found.tolist() == [[0.5, 0.0], [0.5, 1.0]]


def test_names_read_back_and_others_are_refused() -> None:
    assert len(ESTIMATORS) == len(set(ESTIMATORS)) == 30
    assert all(str(Estimator.named(name)) == name for name in (*ESTIMATORS, "uni"))
    with refused(InputError, 'estimator="sgl_rmse"'):
        Estimator.named("sgl_rmse")


@pytest.mark.parametrize("estimator", ["sgl_rmse_msd", "tpc_kld_md"])
def test_gold_on_some_topics_weighs_assessors(estimator: str) -> None:
    runs, judgments, truth = judged_runs({"good": 0.95, "fair": 0.6, "coin": 0.0, "lazy": -1}, seed=10)
    training = truth.select(topics=["0", "1", "2"])
    scores = aware(runs, judgments, "AP", estimator, gold=training)
    assert "gold" not in scores["assessor"].values
    weight = scores["weight"].mean("topic")
    order = [float(weight.sel(assessor=a)) for a in ("good", "fair", "coin")]
    assert order == sorted(order, reverse=True)
    assert float(weight.sel(assessor="lazy")) == 0
    assert scores["weight"].sel(topic="5").isel(assessor=slice(1, None)).sum() == pytest.approx(1)
    assert phrase("gold-weights.closeness-gold") in scores.attrs["footer"]


def test_orders_by_gold_and_warnings() -> None:
    runs, judgments, truth = judged_runs({"good": 0.95, "coin": 0.0}, seed=11)
    with warned(ReliabilityWarning, "sgl_apc_md"):
        scores = aware(runs, judgments, "AP", "sgl_apc_md", gold=truth)
    weight = scores["weight"].mean("topic")
    assert float(weight.sel(assessor="good")) > float(weight.sel(assessor="coin"))


GOLD = np.array([[0.9, np.nan], [0.5, np.nan], [0.1, np.nan]])  # three systems, two topics, the first one judged


def test_closeness_by_hand() -> None:
    same, reversed_, flat = GOLD[:, 0], GOLD[::-1, 0], np.full(3, 0.5)
    scores = np.stack([np.stack([s, s], axis=1) for s in (same, reversed_, flat)])
    rmse = closeness(scores, GOLD, "rmse", "sgl")
    assert rmse[0].tolist() == [1, 1]
    assert rmse[1, 0] == pytest.approx(1 - np.sqrt((2 * 0.8**2) / 3))
    assert rmse[2].tolist() == [0, 0]  # does not tell systems apart
    assert closeness(scores, GOLD, "tau", "tpc")[:, 1].tolist() == [1, 0, 0]  # without gold: the mean of the others


def test_nothing_in_common_with_gold() -> None:
    with refused(InputError):
        closeness(np.ones((1, 3, 2)), np.full((3, 2), np.nan), "rmse", "sgl")
    alone = np.stack([np.full((3, 2), np.nan), np.stack([GOLD[:, 0]] * 2, axis=1)])
    assert closeness(alone, GOLD, "rmse", "sgl")[0].tolist() == [1, 1]  # unknown: as the mean assessor


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
