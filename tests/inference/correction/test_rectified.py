"""Rectified scores: the definition, a peer, and coverage."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.estimate import few_labels
from dissensus.inference.correction.rectified import (
    AuditedLabels,
    Prior,
    fit,
    rectified_estimate,
    rectify,
    smooth_audit_covariance,
)
from dissensus.inference.correction.weights import Weights
from dissensus.stats.intervals import quantiles
from dissensus.studies.audits.corrected_coverage import SETTINGS, coverage


def sample(seed=0, topics=30, per=12, share=0.4):
    rng = np.random.default_rng(seed)
    n = topics * per
    topic = np.repeat(np.arange(topics), per)
    gold = (rng.random(n) < 0.4).astype(float)
    bronze = np.where(rng.random(n) < 0.8, gold, 1 - gold).astype(np.int64)
    seen = rng.random(n) < share
    weights = Weights.from_dense(rng.random((3, n)) * (rng.random((3, n)) < 0.6), topic)
    labels = AuditedLabels(bronze, 3, np.where(seen, gold, np.nan), seen, np.full(n, share), topic)
    return weights, labels, gold


def test_against_the_sum_itself():
    """The slow twin: Σ_d w [f(J) + (I/π)(v − f(J))], document by document."""
    weights, labels, _ = sample()
    made = rectify(weights, labels)
    dense = weights.dense(np.arange(weights.n_items))
    f = {}
    for j in (0, 1):
        here = labels.audited & (labels.bronze == j)
        f[j] = labels.value[here].mean()
    expected = np.zeros((3, 30))
    for d in range(weights.n_items):
        prediction = f[labels.bronze[d]]
        worth = prediction
        if labels.audited[d]:
            worth += (labels.value[d] - prediction) / labels.inclusion[d]
        expected[:, labels.topic[d]] += dense[:, d] * worth
    assert not made.cross_fitted
    np.testing.assert_allclose(made.scores, expected, atol=1e-12)


def test_everything_audited_gives_the_gold_scores():
    weights, labels, gold = sample()
    n = len(gold)
    full = AuditedLabels(labels.bronze, 3, gold, np.ones(n, bool), np.ones(n), labels.topic)
    made = rectified_estimate(weights, full, np.ones(n), "these_topics")
    np.testing.assert_allclose(made.scores, weights.scores(gold), atol=1e-12)
    np.testing.assert_allclose(made.se, 0, atol=1e-12)  # nothing is left to chance


def test_cross_fitting_leaves_the_own_topic_out():
    weights, labels, _ = sample(topics=6, per=8)
    assert labels.n_audited < 50
    f = fit(labels, 6, cross=True)
    others = labels.audited & (labels.topic != 2) & (labels.bronze == 1)
    assert f[2, 1] == pytest.approx(labels.value[others].mean())
    assert rectify(weights, labels).cross_fitted


def test_label_without_audit_takes_the_overall_mean():
    _, labels, _ = sample()
    bronze = labels.bronze.copy()
    bronze[~labels.audited & (labels.bronze == 1)] = 2  # a label that no audited document has
    odd = AuditedLabels(bronze, 4, labels.value, labels.audited, labels.inclusion, labels.topic)
    assert fit(odd, 30, cross=False)[0, 2] == pytest.approx(np.nanmean(labels.value))


def test_smooth_and_shown_audit_variance_agree_on_average():
    ratio = []
    for seed in range(60):
        weights, labels, _ = sample(seed)
        made = rectify(weights, labels)
        shown = np.diag(made.part(weights, labels).covariance)
        smooth = np.diag(smooth_audit_covariance(weights, labels, made.residual, np.full(weights.n_items, 0.4)))
        ratio.append(shown / smooth)
    np.testing.assert_allclose(np.mean(ratio), 1, atol=0.03)


def test_same_as_prediction_powered_inference():
    """ppi-python's mean, every document a topic of its own."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ppi = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(3)
    n, m = 4000, 400
    gold = (rng.random(n) < 0.35).astype(float)
    bronze = np.where(rng.random(n) < 0.85, gold, 1 - gold).astype(np.int64)
    seen = np.zeros(n, bool)
    seen[rng.choice(n, m, replace=False)] = True
    weights = Weights.from_dense(np.ones((1, n)), np.arange(n))
    labels = AuditedLabels(bronze, 3, np.where(seen, gold, np.nan), seen, np.full(n, m / n), np.arange(n))
    ours = rectified_estimate(weights, labels, labels.inclusion)
    f = fit(labels, n, cross=False)[0, bronze]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        point = ppi.ppi_mean_pointestimate(gold[seen], f[seen], f, lam=1.0)
        low, high = ppi.ppi_mean_ci(gold[seen], f[seen], f, alpha=0.05, lam=1.0)
    assert ours.theta[0] == pytest.approx(float(np.ravel(point)[0]), abs=1e-9)
    width = float(np.ravel(high)[0] - np.ravel(low)[0])
    assert 2 * 1.96 * ours.se[0] == pytest.approx(width, rel=0.08)


def test_auto_keeps_its_coverage_in_every_setting():
    """300 studies per setting; the band is the promised one, widened by two Monte-Carlo errors."""
    table = coverage(150, seed=5, settings=tuple(SETTINGS), methods=("auto",))
    assert table.height == len(SETTINGS) == 8
    for row in table.iter_rows(named=True):
        slack = 2 * row["mc_error"]
        most = 0.985 if row["setting"] == "few labels" else 0.965  # 40 labels: the larger of two standard errors
        assert 0.935 - slack <= row["coverage"] <= most + slack, (row["setting"], row["coverage"])


def test_intervals_cover_where_they_must():
    """500 studies per setting (Monte-Carlo error 1 %); the matrix is let down where its assumption fails."""
    settings = ("differential by system", "few topics", "external prevalence")
    table = coverage(250, seed=4, settings=settings, methods=("naive", "confusion", "rectified", "auto"))
    by = {(r["setting"], r["method"]): r for r in table.iter_rows(named=True)}
    for (setting, method), row in by.items():
        holds = method in ("rectified", "auto") or (method == "confusion" and setting != "differential by system")
        if holds:
            slack = 2 * row["mc_error"]
            assert 0.935 - slack <= row["coverage"] <= 0.965 + slack, (setting, method, row["coverage"])
            assert abs(row["size"] - 0.05) < 0.03 + row["mc_error"]
    assert by["differential by system", "confusion"]["coverage"] < 0.7
    assert by["differential by system", "naive"]["size"] > 0.3


BINARY = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))


def test_four_labels_worth_of_belief() -> None:
    total, count, labels = np.array([0.0, 30.0, 0.0]), np.array([20.0, 40.0, 0.0]), np.array([2, 4, 0])
    assert BINARY.means(total, count, labels) == pytest.approx([0.4 / 6, (3.6 + 4 * 0.75) / 8, 0.5])
    assert BINARY.squares(total, count, labels) == pytest.approx([4 * 0.09 / 6, (0.36 + 4 * 0.75) / 8, 0.25])


def test_graded_values_and_their_range() -> None:
    graded = Prior.of(np.array([0.0, 1.0, 3.0, 0.0]), np.array([0.0, 1.0, 3.0]))
    assert graded.mean == pytest.approx([0.3, 3 * (0.1 + 0.8 / 3), 2.7, 1.5])
    assert graded.square[0] == pytest.approx(9 * 0.09)


def test_one_label_says_nothing() -> None:
    assert Prior.of(np.array([0.0, 0.0]), np.array([0.0, 1.0])).mean == pytest.approx([0.5, 0.5])


def small_study(rng: np.random.Generator, budget: float) -> tuple[Weights, AuditedLabels, np.ndarray, np.ndarray]:
    """Four systems over 400 documents of 20 topics, a judge with Se .8 and Sp .8, documents drawn by their weight."""
    topic = np.repeat(np.arange(20), 20)
    dense = (rng.random((4, 400)) < 0.5) / 10
    gold = (rng.random(400) < 0.35).astype(float)
    bronze = np.where(rng.random(400) < 0.8, gold, 1 - gold).astype(np.int64)
    pi = np.minimum(budget * dense.mean(axis=0) / dense.mean(axis=0).sum(), 1.0)
    seen = rng.random(400) < pi
    prior = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))
    labels = AuditedLabels(bronze, 3, np.where(seen, gold, np.nan), seen, pi, topic, prior)
    return Weights.from_dense(dense, topic), labels, pi, dense @ gold / 20


@pytest.mark.parametrize("budget", [20.0, 40.0])
def test_small_audits_are_covered_or_refused(budget: float) -> None:
    rng = np.random.default_rng(4)
    held, asked = 0, 0
    for _ in range(150):
        weights, labels, pi, truth = small_study(rng, budget)
        made = rectified_estimate(weights, labels, np.where(pi > 0, pi, np.nan), "these_topics")
        known = ~made.too_few
        half = quantiles(0.95, made.df_of()) * made.se
        held += int((np.abs(made.theta - truth) <= half)[known].sum())
        asked += int(known.sum())
    assert asked > 300
    assert held / asked > 0.94


def test_few_labels_have_the_larger_standard_error_and_fewer_degrees() -> None:
    weights, labels, pi, _ = small_study(np.random.default_rng(1), 30.0)
    made = rectified_estimate(weights, labels, np.where(pi > 0, pi, np.nan), "these_topics")
    assert made.audit is not None
    assert made.floor is not None
    larger = np.maximum(np.diag(made.audit.covariance), np.diag(made.floor))
    assert made.se == pytest.approx(np.sqrt(larger))
    shown = np.diag(made.audit.covariance) >= np.diag(made.floor)
    expected = np.where(shown, np.maximum(made.audit.effective_labels(), 1.0), labels.n_audited - 1)
    assert made.df_of() == pytest.approx(expected)


def test_two_systems_that_no_audited_document_tells_apart_are_refused() -> None:
    weights = Weights.from_dense(np.array([[1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), np.zeros(3, np.int64))
    seen, pi = np.array([True, False, False]), np.full(3, 0.5)
    prior = Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0]))
    labels = AuditedLabels(
        np.array([1, 1, 0]), 3, np.array([1.0, np.nan, np.nan]), seen, pi, np.zeros(3, np.int64), prior
    )
    made = rectified_estimate(weights, labels, pi, "these_topics")
    behind = made.effective_labels_between(np.array([0]), np.array([1]))[0]
    assert behind == 0
    assert few_labels(behind).startswith(phrase("audit-part.no-audited-document"))


def test_linear_scores_are_unbiased():
    """Over 300 audits of the same labels the mean corrected score is the gold one, whatever the judge did."""
    runs, bronze, gold = study(topics=12, seed=3, se=0.6, sp=0.9)
    truth = ds.evaluate(runs, gold, ["DCG@10"])["DCG@10"].mean("topic").values[0]
    found = np.array(
        [
            ds.correct(runs, bronze, audit(gold, 0.5, seed), ["DCG@10"], target="these_topics").table["corrected"]
            for seed in range(40)
        ]
    )
    error = found.std(axis=0, ddof=1) / math.sqrt(len(found))
    assert np.all(np.abs(found.mean(axis=0) - truth) < 3.5 * error)


def test_sample_of_topics_is_recognised():
    runs, bronze, gold = study(topics=30)
    some = gold.select(topics=[f"q{q:02d}" for q in range(0, 30, 3)])
    result = ds.correct(runs, bronze, some, ["P@5", "AP"])
    assert phrase("linear-scores.sample-topics", 10, 30) in "\n".join(result.notes)
    assert set(result.table["method"]) == {"rectified", "per-topic"}
    truth = ds.evaluate(runs, gold, ["AP"])["AP"].mean("topic").values[0]
    rows = result.table.filter(pl.col("measure") == "AP")
    inside = (rows["low"].to_numpy() <= truth) & (truth <= rows["high"].to_numpy())
    assert inside.all()
