"""Accuracy, log-loss and calibration error by hand."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.judges.merging.gold_check import calibration_error, check_with_gold


def test_by_hand() -> None:
    posterior = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.0, 0.0]])
    level, truth = np.array([0, 0, 1, -1]), np.array([0, 1, 1, 1])
    found = check_with_gold(posterior, level, truth)
    assert found is not None
    assert found.n == 3
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.claimed == pytest.approx((0.9 + 0.6 + 0.8) / 3)
    assert found.log_loss == pytest.approx(-np.log([0.9, 0.4, 0.8]).mean())
    assert found.ece == pytest.approx((0.1 + 0.6 + 0.2) / 3)
    assert check_with_gold(posterior, level, None) is None
    assert check_with_gold(posterior, level, np.full(4, -1)) is None


def test_calibrated_claims_have_no_error() -> None:
    rng = np.random.default_rng(0)
    claim = rng.uniform(0.5, 1, 40_000)
    assert calibration_error(claim, rng.random(40_000) < claim) < 0.01
