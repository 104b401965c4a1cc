"""Pooled scores in `ds.correct`: columns, comparisons, what they assume, and when they are not offered."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import stated
from wording import phrase

import dissensus as ds
from dissensus.data.samples import generated_collection
from dissensus.inference.correction.estimate import Method
from dissensus.inference.correction.overlap import cosines, popularity
from dissensus.inference.correction.pooled import pool
from dissensus.inference.correction.pooled_scores import TOO_SMALL, discrimination
from dissensus.inference.correction.result import Corrected

MEASURE = "P(rel=2)@10"


@pytest.fixture(scope="module", name="eight")
def _eight() -> Corrected:
    made = generated_collection(0)
    return ds.correct(made.runs, made.judgments, made.audit, [MEASURE], assessor="llm", target="these_topics")


def test_columns_are_the_pool_of_naive_and_rectified(eight: Corrected) -> None:
    result = eight.results[MEASURE]
    weights, estimate = result.weights, result.estimate
    assert weights is not None
    assert estimate.sampling is not None
    assert estimate.audit is not None
    assert estimate.sampling == pytest.approx((estimate.audit.covariance + estimate.floor) / 2)
    naive = result.naive.mean(axis=1)
    twin = pool(naive, estimate.theta, estimate.sampling, cosines(weights), popularity(weights))
    assert eight.table["pooled"].to_numpy() == pytest.approx(twin.theta)
    half = 1.959964 * np.sqrt(np.diag(twin.covariance))
    assert eight.table["pooled_low"].to_numpy() == pytest.approx(twin.theta - half, abs=1e-6)
    assert eight.table["pooled_high"].to_numpy() == pytest.approx(twin.theta + half, abs=1e-6)


def test_pooled_differences_are_narrower_and_called_likely(eight: Corrected) -> None:
    a, b = eight.systems[0], eight.systems[1]
    shown, likely = eight.compare(a, b), eight.compare(a, b, pooled=True)
    assert likely.se < shown.se
    assert likely.method == Method.POOLED
    scores = dict(zip(eight.table["system"], eight.table["pooled"], strict=True))
    assert likely.difference == pytest.approx(scores[a] - scores[b])
    everyone = eight.compare_all(pooled=True)
    assert len(everyone) == 28
    claims = [d for d in everyone if d.significant]
    assert claims
    assert all(phrase("pooled-scores.likely-better") in d.verdict for d in claims)
    assert everyone[a, b].difference == pytest.approx(likely.difference)


def test_population_adds_the_topics_part() -> None:
    made = generated_collection(0)
    wide = ds.correct(made.runs, made.judgments, made.audit, [MEASURE], assessor="llm")
    near = ds.correct(made.runs, made.judgments, made.audit, [MEASURE], assessor="llm", target="these_topics")
    a, b = np.triu_indices(8, 1)
    pooled, these = wide.pooled[MEASURE], near.pooled[MEASURE]
    assert pooled.theta == pytest.approx(these.theta)
    bronze = wide.results[MEASURE].naive
    topics = (bronze[a] - bronze[b]).var(axis=1, ddof=1) / bronze.shape[1]
    assert np.all(pooled.se_between(a, b) ** 2 >= these.se_between(a, b) ** 2 + topics - 1e-12)
    assert np.all(pooled.se > these.se)


def test_not_offered_under_four_systems_and_said() -> None:
    runs, bronze, gold = study()
    result = ds.correct(runs, bronze, audit(gold), ["P@5"])
    assert "pooled" not in result.table.columns
    assert stated(result.notes, 4, 3)
    assert np.isnan(result.compare("A", "B", pooled=True).difference)


def test_not_offered_without_an_audit_and_on_request(eight: Corrected) -> None:
    made = generated_collection(0)
    confusion = ds.Confusion([[0.9, 0.1, 0.0, 0.0], [0.1, 0.8, 0.1, 0.0], [0.0, 0.1, 0.8, 0.1], [0.0, 0.0, 0.1, 0.9]])
    matrix = ds.correct(made.runs, made.judgments, confusion, [MEASURE], assessor="llm")
    assert "pooled" not in matrix.table.columns
    without = ds.correct(made.runs, made.judgments, made.audit, [MEASURE], assessor="llm", pooled=False)
    assert "pooled" not in without.table.columns
    assert not any("pooled" in note for note in without.notes)


def test_a_judge_that_errs_at_random_is_named(eight: Corrected) -> None:
    result = eight.results[MEASURE]
    assert result.weights is not None
    design = eight.design
    seen = design.audited & result.weights.weighty
    gold, bronze = design.gold[seen] >= 2, design.bronze[seen] >= 2
    w = 1 / design.inclusion[seen]
    rate = [float((w * bronze)[gold == g].sum() / w[gold == g].sum()) for g in (True, False)]
    assert discrimination(result.measure, design, result.weights) == pytest.approx(rate[0] - rate[1])
    made = generated_collection(0)
    coin = made.judgments.select(assessors=["llm"])
    coin = coin.with_grades(np.random.default_rng(0).integers(0, 4, len(coin)).astype(coin.grade.dtype), coin.scale)
    weak = ds.correct(made.runs, coin, made.audit, [MEASURE])
    assert any(phrase("pooled-scores.discriminates-weakly") in note for note in weak.notes)


def test_too_small_an_audit_says_that_it_corrects_the_level_alone() -> None:
    made = generated_collection(0)
    few = made.audit.to_frame().sample(60, seed=1)
    few = few.with_columns(pl.col("inclusion") * 60 / len(made.audit))
    result = ds.correct(made.runs, made.judgments, ds.Audit.from_frame(few), [MEASURE], assessor="llm")
    assert (TOO_SMALL in result.pooled[MEASURE].notes) == (TOO_SMALL in "\n".join(result.notes))
    assert result.table.filter(measure=MEASURE)["pooled"].is_not_nan().all()
