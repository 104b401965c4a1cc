"""Pooled correction against METHODS' check numbers, its slow twin, and its limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import stated
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.estimate import Method
from dissensus.inference.correction.pooled import TOO_SMALL, Biases, discrimination, explain, pool
from dissensus.inference.correction.result import Corrected
from dissensus.inference.correction.weights import Floats, Weights, cosines, popularity
from dissensus.io.samples import generated_collection

SYSTEMS = np.arange(8)
NAIVE = 0.5 + 0.04 * SYSTEMS
RECTIFIED = np.array([0.444, 0.42, 0.516, 0.552, 0.528, 0.564, 0.66, 0.486])


def example() -> tuple[Floats, Floats, Floats]:
    """(C, K, p) of eight systems and forty documents; system 6 shows none of them."""
    d, s = np.arange(40), SYSTEMS[:, None]
    w = ((d * (s + 3) + s) % 9 < 4) / (1.0 + d % 4)
    weights = Weights.from_dense(w, np.zeros(40, np.int64))
    k = cosines(weights)
    return 0.03**2 * (k + np.eye(8)) / 2, k, popularity(weights)


@dataclass(frozen=True, eq=False)
class Fit:
    """Biases given (τ₁, τ₂): log restricted likelihood without constants, b̃ and M."""

    likelihood: float
    bias: Floats
    covariance: Floats


def fit_at(biases: Biases, first: float, second: float) -> Fit:
    """The fit at τ₁ = `first`, τ₂ = `second`, through plain inverses: the slow twin of `Biases.average`."""
    c, x = biases.covariance, biases.design
    inverse = np.linalg.inv(c + first**2 * biases.overlap + second**2 * np.eye(len(c)))
    information = x.T @ inverse @ x
    rest = biases.estimate - x @ np.linalg.solve(information, x.T @ inverse @ biases.estimate)
    pull = c @ inverse
    reach = pull @ x
    likelihood = np.linalg.slogdet(inverse)[1] - np.linalg.slogdet(information)[1] - rest @ inverse @ rest
    covariance = c - pull @ c + reach @ np.linalg.solve(information, reach.T)
    return Fit(float(likelihood) / 2, biases.estimate - pull @ rest, covariance)


def test_overlap_and_popularity_of_the_example() -> None:
    _, k, p = example()
    assert k[0, 1] == pytest.approx(0.469792, abs=5e-7)
    assert (p[0], p[6]) == pytest.approx((0.009909, -2.568952), abs=5e-7)


def test_fit_at_given_variances() -> None:
    c, k, p = example()
    fit = fit_at(Biases(NAIVE - RECTIFIED, c, explain(NAIVE, p), k), 0.02, 0.01)
    assert fit.likelihood == pytest.approx(6.915499, abs=5e-7)
    assert fit.bias[0] == pytest.approx(0.034873, abs=5e-7)
    assert np.sqrt(fit.covariance[0, 0]) == pytest.approx(0.025650, abs=5e-7)


def test_averaged_scores() -> None:
    found = pool(NAIVE, RECTIFIED, *example())
    expected = (0.447309, 0.425467, 0.510790, 0.546951, 0.526818, 0.557921, 0.660217, 0.494078)
    assert found.theta == pytest.approx(expected, abs=6e-7)
    assert np.sqrt(found.covariance[0, 0]) == pytest.approx(0.029309, abs=6e-7)
    assert found.covariance[0, 1] == pytest.approx(0.000258548, abs=6e-10)


def test_three_systems_of_the_example() -> None:
    c, k, p = example()
    found = pool(NAIVE[:3], RECTIFIED[:3], c[:3, :3], k[:3, :3], p[:3])
    assert found.theta == pytest.approx((0.438530, 0.433196, 0.510170), abs=6e-7)


def test_the_grid_equals_its_slow_twin() -> None:
    c, k, p = example()
    biases = Biases(NAIVE - RECTIFIED, c, explain(NAIVE, p), k)
    bias, covariance, _ = biases.average()
    top = 3 * np.sqrt(max(biases.estimate.var(), np.trace(c) / 8))
    x1, x2 = (np.arange(16) + 0.5) / 16, (np.arange(10) + 0.5) / 10
    fits = [(fit_at(biases, top * a**1.5, top * b**1.5), np.sqrt(a * b)) for a in x1 for b in x2]
    weight = np.array([np.exp(f.likelihood) * prior for f, prior in fits])
    weight /= weight.sum()
    twin = weight @ np.array([f.bias for f, _ in fits])
    away = np.array([f.bias for f, _ in fits]) - twin
    spread = np.tensordot(weight, np.array([f.covariance for f, _ in fits]), 1) + (away * weight[:, None]).T @ away
    assert bias == pytest.approx(twin, abs=1e-10)
    assert covariance == pytest.approx(spread, abs=1e-12)


def test_without_audit_error_the_rectified_scores_stay() -> None:
    c, k, p = example()
    assert pool(NAIVE, RECTIFIED, 0 * c, k, p).theta == pytest.approx(RECTIFIED)
    assert pool(NAIVE, RECTIFIED, 1e-8 * c, k, p).theta == pytest.approx(RECTIFIED, abs=1e-5)


def test_a_hopeless_audit_keeps_the_naive_order_and_says_so() -> None:
    c, k, p = example()
    found = pool(NAIVE, NAIVE - 0.05, 100 * c, k, p)
    assert found.theta == pytest.approx(NAIVE - 0.05, abs=1e-9)  # equal biases: the level alone is corrected
    assert not found.useful
    assert pool(NAIVE, RECTIFIED, c / 100, k, p).useful


def test_identical_systems_and_columns_that_say_nothing_new() -> None:
    same = np.ones((8, 8))
    found = pool(np.full(8, 0.5), np.full(8, 0.4), 0.01 * same, same, np.zeros(8))
    assert found.theta == pytest.approx(np.full(8, 0.4))
    assert found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1] == pytest.approx(0, abs=1e-6)
    assert explain(NAIVE, 2 * (NAIVE - NAIVE.mean())).shape == (8, 2)
    assert explain(NAIVE[:7], np.arange(7.0)).shape == (7, 2)
    assert explain(NAIVE[:5], np.arange(5.0)).shape == (5, 1)


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
