"""Gains through the judge's confusion matrix."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.matrix import (
    Calibration,
    Documents,
    calibration_covariance,
    gold_mass,
    matrix_estimate,
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


def test_confusion_from_elsewhere():
    runs, bronze, _ = study(topics=40)
    matrix = ds.Confusion(None, counts=[[160, 40], [30, 170]])
    result = ds.correct(runs, bronze, matrix, ["P@5", "nDCG@10"])
    rows = result.table.filter(pl.col("measure") == "P@5")
    assert set(rows["method"]) == {"confusion"}
    naive = rows["naive"].to_numpy()
    np.testing.assert_allclose(rows["corrected"].to_numpy(), (naive - 0.2) / (0.85 + 0.8 - 1), atol=1e-9)
    assert result.table.filter(pl.col("measure") == "nDCG@10")["corrected"].is_nan().all()
    assert any(phrase("matrix-scores.not-linear-labels", "nDCG@10") in n for n in result.notes)
    one = result.compare("A", "B", measure="P@5")
    assert one.fieller is not None
    assert one.p_value == one.p_wald
    apart = result.compare("A", "B", "separate", "P@5")  # eq. 10: calibration variances add, queries stay paired
    estimate = result.results["P@5"].estimate
    gap = estimate.scores[0] - estimate.scores[1]
    added = estimate.calibration_part[0, 0] + estimate.calibration_part[1, 1]
    assert apart.se**2 == pytest.approx(gap.var(ddof=1) / 40 + added)
    assert apart.difference == pytest.approx(one.difference)
    assert any(phrase("matrix-scores.taken-had-calibrated") in note for note in apart.notes)
    again = result.compare("A", "B", measure="P@5", interval="bootstrap")
    assert again.interval == pytest.approx(one.interval, abs=0.03)


def test_short_runs_and_missing_topics_contribute_nothing():
    """h_0 is not 0: an empty rank must not be mistaken for a non-relevant document."""
    runs = ds.Runs.from_dict({"A": {"q1": {"x": 1.0}}, "B": {"q1": {"x": 2.0, "y": 1.0}, "q2": {"z": 1.0}}})
    bronze = ds.Judgments.from_dict({"llm": {"q1": {"x": 1, "y": 0}, "q2": {"z": 0}}})
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=[[80, 20], [10, 90]]), ["P@5"])
    scores = result.scores["P@5"].values[0]
    h0, h1 = -0.2 / 0.7, 0.8 / 0.7
    np.testing.assert_allclose(scores, [[h1 / 5, 0.0], [(h1 + h0) / 5, h0 / 5]], atol=1e-12)
    assert phrase("matrix-scores.topics-judged-missing-scored", 2, 1) in result.footer


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([[50, 50], [50, 50]], "singular"),
        ([[10, 0], [0, 0]], phrase("matrix-scores.holds-no-document-gold", 1)),
    ],
)
def test_impossible_matrices_get_words(counts, words):
    runs, bronze, _ = study(topics=6)
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=counts), ["P@5"])
    assert result.table["corrected"].is_nan().all()
    assert any(words in note for note in result.notes)
    assert phrase("matrix-scores.no-answer") in result.compare("A", "B").verdict


def test_graded_singular_matrix_refuses_and_rectified_does_not():
    runs, bronze, gold = study(grades=4)
    flat = bronze.with_grades(np.where(bronze.grade > 0, 1, 0))  # a judge with two grades on a scale of four
    result = ds.correct(runs, flat, audit(gold), ["DCG@10"])
    assert set(result.table["method"]) == {"rectified"}
    assert phrase("matrix-scores.few-recover-gold-grades", 4) in result.results["DCG@10"].sensitivity.why_not
    asked = ds.correct(runs, flat, audit(gold), ["DCG@10"], "confusion")
    assert asked.table["corrected"].is_nan().all()


def test_a_binary_measure_on_graded_labels_uses_every_grade():
    """How grades are mixed differs between calibration and scored documents: the full matrix does not care."""
    rng = np.random.default_rng(0)
    matrix = np.array([[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.05, 0.15, 0.8]])
    share = np.array([0.5, 0.4, 0.1])
    topics, values = 4000, np.array([0.0, 1.0, 1.0])
    gold = rng.choice(3, (topics, 10), p=share)
    bronze = (rng.random(gold.shape)[..., None] >= matrix.cumsum(axis=1)[gold][..., :-1]).sum(axis=2)
    mass = np.stack([(bronze == j).mean(axis=1) for j in range(3)], axis=1)[None]
    elsewhere = Calibration(matrix, np.array([3000.0, 300.0, 3000.0]))  # grade 2 is ten times as common there
    made = matrix_estimate(mass, elsewhere, values, values)
    assert made.theta[0] == pytest.approx(0.5, abs=4 * made.se[0])
    assert made.se[0] < 0.03
    assert not any("merged" in n for n in made.notes)
    assert any(n.startswith(phrase("matrix-scores.gold-grades-row", 3)) for n in made.notes)
    values_apart = matrix_estimate(mass, elsewhere, np.array([0.0, 1.0, 2.0]), None)
    assert not any(phrase("matrix-scores.have-row-each") in n for n in values_apart.notes)
    one = np.array([[0.8, 0.15, 0.05], [0.3, 0.5, 0.2], [0.3, 0.5, 0.2]])  # he cannot tell 1 from 2, and need not
    joined = matrix_estimate(mass, Calibration(one, elsewhere.counts), values, values)
    assert any(phrase("matrix-scores.common-among-calibration-documents") in n for n in joined.notes)
