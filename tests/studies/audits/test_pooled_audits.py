"""What is counted of one audit."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.studies.audits.pooled_audits import judged


def test_counts_of_one_audit_by_hand() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    found = judged("naive", np.array([0.2, 0.1, 0.4]), None, truth)
    assert found["square"] == pytest.approx((0.2**2 + 0.1**2 + 0.1**2) / 3)
    assert found["tau"] == pytest.approx(1 / 3)


def test_a_whole_audit_holds_the_truth_and_favoured_systems_are_counted_by_themselves() -> None:
    truth = np.array([0.1, 0.2, 0.4])
    exact = Estimate(Method.RECTIFIED, "", truth[:, None], truth + 1e-16, np.zeros((3, 3)), np.inf)
    found = judged("rectified", exact.theta, exact, truth)  # half widths are 0, and so is the error but for rounding
    assert (found["covered"], found["scores"], found["first"], found["wrong"]) == (1.0, 1.0, 1.0, 0.0)
    theta = truth + np.array([0.0, 0.0, 0.1])
    off = Estimate(Method.RECTIFIED, "", theta[:, None], theta, 1e-4 * np.eye(3), np.inf)
    assert judged("rectified", theta, off, truth, first=(2,))["first"] == 0.0  # 0.1 is seven standard errors
    assert judged("rectified", theta, off, truth, first=(0,))["first"] == 0.5
