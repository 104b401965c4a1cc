"""Gains through the judge's confusion matrix."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.matrix import (
    Calibration,
    Documents,
    accuracies,
    calibration_covariance,
    gold_mass,
    solve,
)


def test_lopsided_audit_needs_its_weights():
    """100 relevant and 100 not at 10 % prevalence: unweighted, the matrix is far off; weighted, it is not."""
    rng = np.random.default_rng(1)
    n, se, sp = 20_000, 0.8, 0.9
    gold = (rng.random(n) < 0.1).astype(np.int64)
    bronze = np.where(gold == 1, rng.random(n) < se, rng.random(n) < 1 - sp).astype(np.int64)
    pi = np.where(bronze == 1, 0.2, 0.01)  # drawn by bronze label
    seen = rng.random(n) < pi
    mass = np.array([[(bronze == 0).mean(), (bronze == 1).mean()]])

    def corrected(weight):
        documents = Documents(gold[seen], bronze[seen], weight[seen], np.zeros(seen.sum(), np.int64))
        made = solve(Calibration.from_documents(documents, 2, 2), np.array([0.0, 1.0]), mass[0], None)
        return float(mass[0] @ made.gains)

    assert corrected(1 / pi) == pytest.approx(gold.mean(), abs=0.03)
    assert abs(corrected(np.ones(n)) - gold.mean()) > 0.05


def counted(*rows):
    table = np.array(rows, float)
    return Calibration(table / table.sum(axis=1, keepdims=True), table.sum(axis=1))


def test_two_by_two_gains_are_the_classical_ones():
    """h₁ = Sp/D, h₀ = −(1 − Sp)/D: the observed rate becomes (j̄ + Sp − 1)/(Se + Sp − 1)."""
    solved = solve(counted((80, 20), (10, 90)), np.array([0.0, 1.0]), np.array([0.5, 0.5]), None)
    assert solved.gains == pytest.approx([-0.2 / 0.7, 0.8 / 0.7])
    assert np.array([0.6, 0.4]) @ solved.gains == pytest.approx((0.4 + 0.8 - 1) / 0.7)


def test_more_labels_than_grades_take_the_gains_with_the_smallest_square():
    calibration, frequency = counted((70, 20, 10), (10, 30, 60)), np.array([0.5, 0.3, 0.2])
    values = np.array([0.0, 1.0])
    h = solve(calibration, values, frequency, None).gains
    assert calibration.matrix @ h == pytest.approx(values)
    flat = np.linalg.svd(calibration.matrix)[2][-1]  # along it C·h stays
    for step in (-0.1, 0.1):
        assert frequency @ (h + step * flat) ** 2 > frequency @ h**2


def test_grades_of_equal_value_are_merged_where_the_matrix_is_singular():
    singular = counted((80, 20, 0), (10, 50, 40), (10, 50, 40))
    assert solve(singular, np.array([0.0, 1.0, 2.0]), np.ones(3), None).gains is None
    merged = solve(singular, np.array([0.0, 1.0, 1.0]), np.ones(3), None)
    assert merged.calibration.counts.tolist() == [100, 200]
    assert merged.calibration.matrix @ merged.gains == pytest.approx([0.0, 1.0])


def test_gold_weights_solve_the_transpose():
    calibration = counted((80, 20), (10, 90))
    mass = np.array([[0.6, 0.4], [0.3, 0.7]])
    assert gold_mass(calibration, mass) @ calibration.matrix == pytest.approx(mass)


def test_the_calibrations_variance_is_the_binomial_one():
    """Σ_j m_j² V_j with V_j = (h₁ − h₀)² c(1 − c)/n_j."""
    calibration, values = counted((80, 20), (10, 90)), np.array([0.0, 1.0])
    gains, mass = np.array([-0.2 / 0.7, 0.8 / 0.7]), np.array([[0.5, 0.5]])
    part = calibration_covariance(calibration, mass, gains, values, clustered=False)
    want = 0.25 * (0.8 * 0.2 / 100 + 0.9 * 0.1 / 100) / 0.7**2
    assert part[0, 0] == pytest.approx(want)
    known = Calibration(calibration.matrix)
    assert not calibration_covariance(known, mass, gains, values, clustered=False).any()


def test_accuracies_and_how_far_a_coin_is():
    rates = accuracies(counted((80, 20), (10, 90)))
    assert (rates.sensitivity, rates.specificity, rates.discrimination) == pytest.approx((0.9, 0.8, 0.7))
    assert rates.discrimination_z == pytest.approx(0.7 / np.sqrt(0.09 / 100 + 0.16 / 100))
    assert accuracies(counted((8, 1, 1), (1, 1, 8))) is None
