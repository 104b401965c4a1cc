"""Scores through the matrix of an audit: what topics do to scores and calibration at once, and weak judges."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from audited_study import study
from refusals import stated

import dissensus as ds
from dissensus.inference.correction.fieller import accuracies, fieller_difference, fieller_scores, score_intervals
from dissensus.inference.correction.matrix import Calibration, Documents, matrix_estimate
from dissensus.stats.intervals import ConfidenceSet, quantile
from dissensus.studies.audits.corrected_coverage import SETTINGS, VALUES, coverage, draw, estimates


def sample_estimate(name, seed=0):
    sample = draw(SETTINGS[name], 0.06, np.random.default_rng(seed))
    return sample, estimates(sample, ("confusion",))["confusion"]


def test_variance_is_that_of_leaving_topics_out():
    """A jackknife over topics, scores and audited documents removed together, knows no formula."""
    sample = draw(SETTINGS["homogeneous"], 0.06, np.random.default_rng(2))
    w, seen = sample.weights, sample.audited == 1
    mass, topic = w.mass(sample.bronze, 2), w.item_topic
    n = mass.shape[1]

    def theta(kept):
        use = seen & np.isin(topic, kept)
        documents = Documents(sample.gold[use], sample.bronze[use], np.ones(use.sum()), topic[use])
        return matrix_estimate(mass[:, kept], Calibration.from_documents(documents, 2, 2), VALUES).theta

    left = np.array([theta(np.delete(np.arange(n), q)) for q in range(n)])
    jackknife = (n - 1) / n * (left - left.mean(axis=0)).T @ (left - left.mean(axis=0))
    ours = estimates(sample, ("confusion",))["confusion"]
    np.testing.assert_allclose(ours.covariance, jackknife, rtol=0.06)
    apart = np.diag(np.cov(ours.scores) / n + ours.calibration_part)
    assert (apart > 1.1 * np.diag(jackknife)).all()  # as if the calibration came from elsewhere: too cautious


def test_scores_are_held_where_the_judge_errs_evenly():
    """500 studies per setting, two scores each; the band is the promised one, widened by two Monte-Carlo errors."""
    settings = ("homogeneous", "weak judge", "few topics", "few labels")
    table = coverage(250, seed=8, settings=settings, methods=("confusion", "rectified"))
    assert table.height == 8
    for row in table.iter_rows(named=True):
        slack = 2 * math.sqrt(0.95 * 0.05 / 500)
        for what in ("scores", "coverage"):
            # few labels, rectified: the larger of two standard errors is meant to be cautious
            most = 0.985 if (row["setting"], row["method"]) == ("few labels", "rectified") else 0.965
            assert 0.935 - slack <= row[what] <= most + slack, (row["setting"], row["method"], what, row[what])


@pytest.mark.parametrize("seed", [0, 3, 4, 5])
def test_fiellers_set_of_a_score_agrees_with_a_grid(seed):
    """x is in the set iff the mean of positive − (1 − Sp) − x(Se + Sp − 1) is within t of its jackknifed error."""
    sample, estimate = sample_estimate("weak judge", seed)
    seen = sample.audited == 1
    topic, gold, bronze = sample.weights.item_topic[seen], sample.gold[seen], sample.bronze[seen]
    found = fieller_scores(estimate, 0.95)
    assert set(found) == {0, 1}
    rate = estimate.by_label[0][:, 1]
    n = len(rate)
    sp, se = 1 - bronze[gold == 0].mean(), bronze[gold == 1].mean()

    def pull(grade, hit, value):
        here = gold == grade
        return np.bincount(topic[here], (hit[here] - value) / here.sum(), n) * math.sqrt(q / (q - 1))

    q = len(np.unique(topic))
    sp_pull, se_pull = pull(0, 1 - bronze, sp), pull(1, bronze, se)
    for x in np.linspace(-3, 4, 1401):
        z = (rate - rate.mean()) / math.sqrt(n * (n - 1)) + sp_pull - x * (sp_pull + se_pull)
        residual = rate.mean() - (1 - sp) - x * (se + sp - 1)
        assert (x in found[0]) == (abs(residual) <= quantile(0.95, n - 1) * math.sqrt((z**2).sum()))


def test_a_strong_judge_has_normal_intervals():
    _, estimate = sample_estimate("homogeneous")
    assert fieller_scores(estimate, 0.95) == {}
    low, high = score_intervals(estimate, 0.95)
    np.testing.assert_allclose((low + high) / 2, estimate.theta)


def test_a_weak_judge_is_told_and_nothing_is_clipped():
    runs, bronze, _ = study(topics=30)
    result = ds.correct(runs, bronze, ds.Confusion(None, counts=[[11, 9], [8, 12]]), ["P@5"])
    notes = "\n".join(result.notes)
    assert stated(notes, "P@5", 5)
    assert stated(notes, "P@5", "A")
    assert set(result.table["low"]) == {-math.inf}
    assert set(result.table["high"]) == {math.inf}
    better = ds.correct(runs, bronze, ds.Confusion(None, counts=[[16, 4], [5, 15]]), ["P@5"])
    row = better.table.row(0, named=True)
    assert row["low"] < row["corrected"] < row["high"]
    assert (row["corrected"] - row["low"]) != pytest.approx(row["high"] - row["corrected"])  # a ratio is skewed
    exact = fieller_scores(better.results["P@5"].estimate, 0.95)[0]
    assert exact == ConfidenceSet(((row["low"], row["high"]),))


def test_systems_judged_apart_have_sets_of_their_own():
    runs, bronze, _ = study(topics=30, systems=("A", "B"))
    strong, weak = ds.Confusion(None, counts=[[900, 100], [100, 900]]), ds.Confusion(None, counts=[[16, 4], [5, 15]])
    result = ds.correct(runs, bronze, {"A": strong, "B": weak}, ["P@5"])
    sets = fieller_scores(result.results["P@5"].estimate, 0.95)
    assert list(sets) == [1]
    alone = ds.correct(runs, bronze, weak, ["P@5"])
    assert sets[1] == fieller_scores(alone.results["P@5"].estimate, 0.95)[1]
    assert fieller_difference(result.results["P@5"].estimate, 0, 1, 0.95)[0] is None


def test_one_audited_topic_counts_documents():
    """Nothing is known of how errors vary between topics: documents are the clusters, and the parts add."""
    runs, bronze, gold = study(topics=12, systems=("A", "B"))
    frame = gold.to_frame().filter(pl.col("topic") == gold.topics[0]).select("topic", "doc", "grade")
    audit = ds.Audit.from_frame(frame.with_columns(inclusion=pl.lit(0.5)), scale="0..1")
    estimate = ds.correct(runs, bronze, audit, "P@5", "confusion").results["P@5"].estimate
    n = estimate.scores.shape[1]
    np.testing.assert_allclose(estimate.covariance, np.cov(estimate.scores) / n + estimate.calibration_part)


def _counted(*rows):
    table = np.array(rows, float)
    return Calibration(table / table.sum(axis=1, keepdims=True), table.sum(axis=1))


def test_accuracies_and_how_far_a_coin_is():
    rates = accuracies(_counted((80, 20), (10, 90)))
    assert (rates.sensitivity, rates.specificity, rates.discrimination) == pytest.approx((0.9, 0.8, 0.7))
    assert rates.discrimination_z == pytest.approx(0.7 / np.sqrt(0.09 / 100 + 0.16 / 100))
    assert accuracies(_counted((8, 1, 1), (1, 1, 8))) is None
