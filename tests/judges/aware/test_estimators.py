"""From gaps to weights, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from rankings import judged_runs
from refusals import refused, warned

from dissensus.errors import InputError, ReliabilityWarning
from dissensus.judges.aware.api import aware
from dissensus.judges.aware.estimators import ESTIMATORS, Estimator, weights


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
