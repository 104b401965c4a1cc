"""Rectified scores: the definition, a peer, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.inference.correction.linear_scores import rectified_estimate
from dissensus.inference.correction.rectified import Labels, fit, rectify, smooth_audit_covariance
from dissensus.inference.correction.weights import Weights
from dissensus.studies.audits.corrected_coverage import SETTINGS, coverage


def sample(seed=0, topics=30, per=12, share=0.4):
    rng = np.random.default_rng(seed)
    n = topics * per
    topic = np.repeat(np.arange(topics), per)
    gold = (rng.random(n) < 0.4).astype(float)
    bronze = np.where(rng.random(n) < 0.8, gold, 1 - gold).astype(np.int64)
    seen = rng.random(n) < share
    weights = Weights.from_dense(rng.random((3, n)) * (rng.random((3, n)) < 0.6), topic)
    labels = Labels(bronze, 3, np.where(seen, gold, np.nan), seen, np.full(n, share), topic)
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
    full = Labels(labels.bronze, 3, gold, np.ones(n, bool), np.ones(n), labels.topic)
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
    odd = Labels(bronze, 4, labels.value, labels.audited, labels.inclusion, labels.topic)
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
    labels = Labels(bronze, 3, np.where(seen, gold, np.nan), seen, np.full(n, m / n), np.arange(n))
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
