"""From gaps to weights, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import judged_runs
from refusals import refused, warned
from wording import phrase

from dissensus.errors import InputError, ReliabilityWarning
from dissensus.judges.aware.api import aware
from dissensus.judges.aware.estimators import ESTIMATORS, Estimator, closeness, weights


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
    with refused(InputError, by="estimators.closeness"):
        closeness(np.ones((1, 3, 2)), np.full((3, 2), np.nan), "rmse", "sgl")
    alone = np.stack([np.full((3, 2), np.nan), np.stack([GOLD[:, 0]] * 2, axis=1)])
    assert closeness(alone, GOLD, "rmse", "sgl")[0].tolist() == [1, 1]  # unknown: as the mean assessor
