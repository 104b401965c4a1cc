"""AP under a sampled audit: the worked example, effects by their definition, a census, what is refused."""

from __future__ import annotations

from functools import cache

import graded_example as example
import numpy as np
import polars as pl
import pytest
from audited_study import audit as audit_of
from audited_study import study
from wording import phrase

import dissensus as ds
from dissensus.inference.ap.chances import RelevancePools
from dissensus.inference.ap.corrected import groups, sampled_scores
from dissensus.inference.ap.plan import worth
from dissensus.inference.ap.rankings import Rankings
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools
from dissensus.inference.ndcg.regression import Regressors, fit
from dissensus.inference.planning.chances import inclusion

GOLD, BRONZE = (example.gold >= 2).astype(int), (example.judge >= 2).astype(int)


@cache
def weights() -> Weights:
    """1/rank of the first 16 documents."""
    dense = np.zeros((example.SYSTEMS, 288))
    for s in range(example.SYSTEMS):
        dense[s, example.ranked[s].ravel()] = np.tile(1 / np.arange(1, 17), example.TOPICS)
    return Weights.from_dense(dense, example.topic)


def ap(relevant: np.ndarray) -> np.ndarray:
    """Of every system, by the rankings."""
    rankings = Rankings(weights())
    y = relevant.astype(float)[:, None]
    return np.mean([rankings.topic(q).effects(y[24 * q : 24 * q + 24])[0][:, 0] for q in range(12)], axis=0)


def known(gold: np.ndarray, pi: np.ndarray) -> RelevancePools:
    shown = np.bincount(example.ranked.ravel(), minlength=288)
    pool = TopicPools(weights(), example.judge / 3, example.judge, shown, gold, pi, ap(BRONZE), 2)
    return RelevancePools.of(pool, BRONZE > 0, example.weights())


@cache
def planned() -> np.ndarray:
    """π of the example, for a budget of 70."""
    key = worth(known(np.full(288, -1), np.ones(288)), np.random.default_rng(0)).key
    return inclusion(key, np.ones(288, bool), 70, 0.002)


def audited() -> RelevancePools:
    pi = planned()
    return known(np.where(example.audited(pi), GOLD, -1), pi)


# ── the worked example ───────────────────────────────────────────────────────────────────────────────────────────────
def test_the_example_and_its_plan():
    assert ap(GOLD) == pytest.approx([0.958081, 0.942187, 0.907902, 0.838400, 0.822383, 0.802025], abs=1e-6)
    assert ap(BRONZE) == pytest.approx([0.872434, 0.841797, 0.877014, 0.784761, 0.824387, 0.761895], abs=1e-6)
    assert planned()[:5] == pytest.approx([0.127764, 0.106689, 0.178675, 0.118272, 0.115521], abs=1e-6)
    seen = example.audited(planned())
    assert (seen.sum(), GOLD[seen].sum()) == (70, 42)


def test_what_is_known_of_a_document_and_the_regression():
    given = audited()
    x = [1, -1, 1, 0, 0, 0, 1.119505, -1.314290, -2.555089, -1.597633, -1.848125, 0]
    assert given.x[0] == pytest.approx(x, abs=1e-6)
    seen = np.flatnonzero(given.pool.audited)
    known_ = Regressors(given.x[seen], given.effects(seen), example.topic[seen], 12, given.spread)
    found = fit(GOLD[seen].astype(float), known_, np.array([1.1, 0.7, 1.0]))
    b = "-1.016908 1.726016 -.015671 -.000405 -.066465 .054293 -1.170380 1.392135 .445837 .279512 .654236 .337339"
    assert found.b == pytest.approx([float(v) for v in b.split()], abs=1e-6)
    assert found.u[0] == pytest.approx([-0.085043, -0.029957, 0.146624], abs=1e-6)
    assert found.log_marginal + 12 * np.log(0.7) == pytest.approx(-20.236175, abs=1e-6)


def test_corrected_scores_of_the_example():
    given = audited()
    group = groups(given.pool.gold, given.pool.inclusion, example.topic, np.random.default_rng(0))
    made = sampled_scores(given, seed=1, draws=3000, group=group)
    assert made.model_theta == pytest.approx([0.8991, 0.8650, 0.8789, 0.7709, 0.8006, 0.7280], abs=0.004)
    assert made.theta == pytest.approx([0.9839, 0.9826, 0.9429, 0.8526, 0.8474, 0.7930], abs=0.004)
    se = np.sqrt(np.diag(made.covariance))
    assert se == pytest.approx([0.0416, 0.0501, 0.0430, 0.0477, 0.0503, 0.0565], abs=0.0015)


# ── definitions ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_effect_of_a_label_is_the_score_with_it_less_the_score_without():
    shown = Rankings(weights()).topic(0)
    rng = np.random.default_rng(3)
    y = (rng.random((24, 4)) < [[0.5, 0.2, 0.04, 0.0]]).astype(float)
    effects = np.zeros((example.SYSTEMS, 24, 4))
    for d in range(24):
        up, down = y.copy(), y.copy()
        up[d], down[d] = 1, 0
        effects[:, d] = shown.effects(up)[0] - shown.effects(down)[0]
    assert shown.effects(y)[1] == pytest.approx(effects.mean(axis=2), abs=1e-12)
    mean, variance = shown.moments(y)
    assert mean == pytest.approx(effects.mean(axis=0), abs=1e-12)
    assert variance == pytest.approx(effects.var(axis=0), abs=1e-12)
    assert effects[0, :5, 0].any()


def test_every_topic_is_spread_over_the_groups_and_certain_documents_are_in_none():
    gold, topic = np.array([1, 0, 1, 0, 1, -1, 0, 1]), np.array([0, 0, 0, 0, 0, 0, 1, 1])
    pi = np.array([0.5, 0.5, 0.5, 0.5, 1.0, 0.5, 0.5, 0.5])
    found = groups(gold, pi, topic, np.random.default_rng(0))
    assert found[4] == found[5] == -1
    assert sorted(found[:4]) == [0, 1, 2, 3]
    assert sorted(found[6:]) == [0, 4]


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_a_census_gives_the_truth(empty: str):
    made = sampled_scores(known(GOLD, np.ones(288)), seed=0, draws=5, empty=empty)
    assert made.theta == pytest.approx(ap(GOLD), abs=1e-12)
    assert np.abs(made.covariance).max() == 0


# ── through ds.correct ───────────────────────────────────────────────────────────────────────────────────────────────
def test_from_300_labels_on_ap_is_modelled_with_fewer_imputed_and_never_pooled():
    runs, bronze, gold = study(topics=40, systems=("A", "B", "C", "D", "E"))
    many = ds.correct(runs, bronze, audit_of(gold, share=0.6), "AP", target="these_topics", seed=1)
    truth = ds.evaluate(runs, gold, "AP")["AP"].mean("topic").values[0]
    table = many.table
    assert set(table["method"]) == {"modelled relevance"}
    assert np.abs(table["corrected"].to_numpy() - truth).max() < 0.1
    half = (table["high"] - table["low"]).to_numpy() / 2
    assert (half > 0).all()
    few = ds.correct(runs, bronze, audit_of(gold, share=0.3), "AP", target="these_topics", seed=1)
    assert set(few.table["method"]) == {"imputation"}
    for found in (many, few):
        assert "pooled" not in found.table.columns or found.table["pooled"].is_nan().all()
        assert any(phrase("pooled.held-in-only", "AP", "91%") in n for n in found.notes)


def test_topics_like_these_vary_more_than_these_topics():
    runs, bronze, gold = study(topics=40, systems=("A", "B", "C", "D"))
    here, there = (
        ds.correct(runs, bronze, audit_of(gold, share=0.6), "AP", target=t, seed=1)
        for t in ("these_topics", "population")
    )
    assert here.table["corrected"].to_list() == there.table["corrected"].to_list()
    assert (there.table["se"] > here.table["se"]).all()


def test_a_plan_of_300_labels_forecasts_ap_and_one_of_100_does_not():
    runs, bronze, _ = study(topics=40, systems=("A", "B", "C", "D"))
    found = {b: ds.plan(runs, bronze, budget=b, measures="AP", seed=1).options for b in (100, 320)}
    half = {b: t.filter(pl.col("unit") == "document")["half_width"][0] for b, t in found.items()}
    assert np.isnan(half[100])
    assert 0 < half[320] < 0.2
