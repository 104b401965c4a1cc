"""Standard errors and degrees of freedom of an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.estimate import AuditPart, Estimate, Method, contrast, refused

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


def test_equal_labels_count_in_full_and_one_large_one_counts_alone() -> None:
    part = AuditPart(np.array([[1.0, 1.0, 1.0, 1.0], [100.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]]), 2)
    assert part.effective_labels()[:2] == pytest.approx([4.0, 1.0004], abs=1e-4)
    assert part.effective_labels()[2] == np.inf
    assert part.covariance[0, 0] == pytest.approx(1.0)


def test_differences_equal_the_sum_itself() -> None:
    root = np.random.default_rng(0).normal(size=(4, 30))
    part = AuditPart(root, 5)
    a, b = np.triu_indices(4, 1)
    square = (root[a] - root[b]) ** 2
    assert part.effective_labels_between(a, b) == pytest.approx(square.sum(axis=1) ** 2 / (square**2).sum(axis=1))
    assert (
        part.effective_labels_between(np.array([1]), np.array([1]))[0] == np.inf
    )  # nothing tells a system from itself
