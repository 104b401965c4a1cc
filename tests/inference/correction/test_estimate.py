"""Standard errors and degrees of freedom of an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.estimate import Estimate, Method, contrast, refused

A, B = np.array([0]), np.array([1])
COVARIANCE = np.array([[4.0, 1.0], [1.0, 2.0]])


def estimate(**more) -> Estimate:
    return Estimate(Method.RECTIFIED, "", np.zeros((2, 5)), np.zeros(2), COVARIANCE, 4.0, **more)


def test_contrasts_and_the_larger_of_several_covariances() -> None:
    assert contrast(COVARIANCE, A, B)[0] == 4.0
    assert estimate().se_between(A, B)[0] == 2.0
    assert estimate(least=(9 * np.eye(2),)).se == pytest.approx([3.0, 3.0])
    only_pairs = estimate(least_between=9 * np.eye(2))
    assert only_pairs.se == pytest.approx([2.0, np.sqrt(2)])
    assert only_pairs.se_between(A, B)[0] == pytest.approx(np.sqrt(18))


def test_degrees_of_freedom_after_satterthwaite() -> None:
    assert estimate().df_between(A, B)[0] == 4.0
    part = estimate(calibration_part=np.eye(2), df_part=10.0)
    assert part.df_between(A, B)[0] == pytest.approx(16 / (2**2 / 4 + 2**2 / 10))


def test_methods_are_values_and_their_names() -> None:
    assert Method.SEPARATE.by_matrix
    assert not Method.POOLED.by_matrix
    assert str(Method.PER_TOPIC) == "per-topic"
    nothing = refused(Method.NONE, (2, 5), "why")
    assert np.isnan(nothing.theta).all()
    assert nothing.why_not == "why"
