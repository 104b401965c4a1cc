"""Pooled correction against METHODS' check numbers, its slow twin, and its limits."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import stated
from scipy import stats
from wording import phrase

import dissensus as ds
from dissensus.arrays import Floats
from dissensus.inference.correction.estimate import Method
from dissensus.inference.correction.pooled import TOO_SMALL, Contrasts, audit_covariances, disagreement, pool
from dissensus.inference.correction.result import Corrected
from dissensus.inference.correction.weights import Weights, cosines, popularity
from dissensus.io.samples import generated_collection

SYSTEMS = np.arange(8)
NAIVE = 0.5 + 0.04 * SYSTEMS
RECTIFIED = np.array([0.444, 0.42, 0.516, 0.552, 0.528, 0.564, 0.66, 0.486])


def example() -> tuple[Floats, Floats, Floats, Floats]:
    """(D, F, K, p) of eight systems and forty documents."""
    d, s = np.arange(40), SYSTEMS[:, None]
    w = ((d * (s + 3) + s) % 11 < 5) / (1.0 + d % 4)
    weights = Weights.from_dense(w, np.zeros(40, np.int64))
    k = cosines(weights)
    return 0.03**2 * (k + np.eye(8)) / 2, 0.03**2 * (0.6 * k + 0.3 * np.eye(8)), k, popularity(weights)


def test_how_errors_vary_between_systems() -> None:
    *_, k, p = example()
    contrasts = Contrasts.of(NAIVE, k, p)
    assert contrasts.out(contrasts.smooth)[0, :2] == pytest.approx((0.447719, -0.355835), abs=2e-6)
    assert contrasts.worth == pytest.approx(5.125546, abs=2e-6)


def test_scores_of_the_example() -> None:
    found = pool(NAIVE, RECTIFIED, *example())
    theta = (0.435817, 0.427133, 0.513279, 0.545760, 0.525873, 0.569206, 0.643281, 0.509650)
    sd = (0.030900, 0.030652, 0.030023, 0.030222, 0.029970, 0.030480, 0.032720, 0.034038)
    t = (0.337698, -0.292965, 0.109973, 0.252212, 0.087931, -0.213917, 0.634945, -0.905670)
    assert found.theta == pytest.approx(theta, abs=2e-6)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx(sd, abs=2e-6)
    assert found.covariance[0, 1] == pytest.approx(0.000285835, abs=2e-9)
    assert found.disagreement == pytest.approx(t, abs=6e-5)  # 2e-6 of a score in standard errors of .03
    assert found.spread == pytest.approx((0.061127, 0.041339), abs=2e-6)
    assert found.theta[0] - found.theta[7] == pytest.approx(-0.073833, abs=3e-6)
    c = found.covariance
    assert np.sqrt(c[0, 0] + c[7, 7] - 2 * c[0, 7]) == pytest.approx(0.040032, abs=2e-6)
    assert not found.doubted.any()


def test_the_first_four_systems_of_the_example() -> None:
    d, f, k, p = example()
    found = pool(NAIVE[:4], RECTIFIED[:4], d[:4, :4], f[:4, :4], k[:4, :4], p[:4])
    assert found.theta == pytest.approx((0.431071, 0.445253, 0.508175, 0.547501), abs=2e-6)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx((0.030222, 0.032443, 0.028294, 0.028977), abs=2e-6)


def twin(d: Floats, f: Floats, k: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """(scores, their covariance, that of the deviations), cell by cell through plain inverses."""
    s, known = len(NAIVE), Contrasts.of(NAIVE, k, p)
    q, z = known.basis, known.basis.T @ (RECTIFIED - NAIVE)
    c = f * max(1.0, np.trace(known.within(d)) / np.trace(known.within(f)))
    c = c + 1e-6 * np.trace(c) / s * np.eye(s)
    inner = known.within(c)
    top = 3 * np.sqrt(max(z @ z, np.trace(inner)) / (s - 1))
    cells = []
    for sigma in itertools.product((0.1, 0.3, 1.2), (0.01, 0.06)):
        for i, j in itertools.product(range(9), range(7)):
            u = np.array([(i + 0.5) / 9, (j + 0.5) / 7])
            tau = top * u**1.5
            prior = known.prior(sigma, (tau[0], tau[1]))
            inverse = np.linalg.inv(prior + inner)
            log = -np.linalg.slogdet(prior + inner)[1] / 2 - z @ inverse @ z / 2
            place = np.sqrt(u.prod())
            cells.append((log, place, place / (1 + (tau / 0.02) ** 2).prod(), prior @ inverse, prior))
    logs = np.array([x[0] for x in cells])
    w = np.exp(logs - logs.max()) * [x[2] for x in cells]
    v = np.exp((logs - logs.max()) * known.worth / (s - 1)) * [x[1] for x in cells]
    w, v = w / w.sum(), v / v.sum()
    moved = np.array([x[3] @ z for x in cells])
    m = w @ moved

    def mixed(weight: Floats) -> Floats:
        left = sum(a * (x[4] - x[3] @ x[4]) for a, x in zip(weight, cells, strict=True))
        return np.asarray(q @ (left + (weight[:, None] * (moved - m)).T @ (moved - m)) @ q.T)

    theta = RECTIFIED.mean() + NAIVE - NAIVE.mean() + q @ m
    taken = sum(a * x[3] for a, x in zip(v, cells, strict=True))
    common = q @ taken @ q.T @ c.sum(axis=1) / s
    return theta, max(c.sum(), d.sum()) / s**2 + common[:, None] + common + mixed(v), mixed(w)


def test_the_grid_equals_its_slow_twin() -> None:
    found, (theta, covariance, deviations) = pool(NAIVE, RECTIFIED, *example()), twin(*example())
    assert found.theta == pytest.approx(theta, abs=1e-10)
    assert found.covariance == pytest.approx(covariance, abs=1e-12)  # nothing is added for disagreement here
    assert found.deviations == pytest.approx(deviations, abs=1e-12)


def test_level_and_order_of_systems() -> None:
    d, f, k, p = example()
    found = pool(NAIVE, RECTIFIED, d, f, k, p)
    assert found.theta.mean() == pytest.approx(RECTIFIED.mean())
    turn = np.random.default_rng(3).permutation(8)
    at = np.ix_(turn, turn)
    turned = pool(NAIVE[turn], RECTIFIED[turn], d[at], f[at], k[at], p[turn])
    assert turned.theta == pytest.approx(found.theta[turn], abs=1e-12)
    assert turned.covariance == pytest.approx(found.covariance[at], abs=1e-12)


def test_without_audit_error_the_rectified_scores_stay() -> None:
    d, f, k, p = example()
    assert pool(NAIVE, RECTIFIED, 0 * d, 0 * f, k, p).theta == pytest.approx(RECTIFIED)
    assert pool(NAIVE, RECTIFIED, 1e-8 * d, 1e-8 * f, k, p).theta == pytest.approx(RECTIFIED, abs=1e-5)


def test_the_range_of_values_is_a_unit() -> None:
    d, f, k, p = example()
    found, grades = pool(NAIVE, RECTIFIED, d, f, k, p), pool(3 * NAIVE, 3 * RECTIFIED, 9 * d, 9 * f, k, p, 3.0)
    assert grades.theta == pytest.approx(3 * found.theta)
    assert grades.covariance == pytest.approx(9 * found.covariance)


def test_a_hopeless_audit_keeps_the_naive_order_and_says_so() -> None:
    d, f, k, p = example()
    found = pool(NAIVE, NAIVE - 0.05, 100 * d, 100 * f, k, p)
    assert found.theta == pytest.approx(NAIVE - 0.05, abs=1e-9)  # equal biases: the level alone is corrected
    assert not found.useful
    assert pool(NAIVE, RECTIFIED, d / 100, f / 100, k, p).useful


def test_a_favoured_system_is_found_and_its_variance_raised() -> None:
    d, f, k, p = example()
    rectified = NAIVE - 0.05
    rectified[3] -= 0.3
    found = pool(NAIVE, rectified, d, f, k, p)
    assert abs(found.disagreement).argmax() == 3
    far = replace(found, disagreement=np.array([0.0, 1.9, -2.1, 2.1]))
    assert far.doubted.tolist() == [False, False, True, True]
    calm = pool(NAIVE, NAIVE - 0.05, d, f, k, p)
    assert found.covariance[3, 3] > calm.covariance[3, 3]


def test_disagreement_of_one_system() -> None:
    variance = 0.01**2 * np.eye(4)
    t, more = disagreement(np.array([0.4, 0.4, 0.4, 0.44]), np.full(4, 0.41), variance, variance / 2)
    assert t[3] == pytest.approx(0.03 / (0.01 * np.sqrt(3 / 4)))
    assert more == pytest.approx([0, 0, 0, 0.03**2 - 2 * 0.01**2 * 3 / 4])


def test_identical_systems() -> None:
    same = np.ones((8, 8))
    found = pool(np.full(8, 0.5), np.full(8, 0.4), 0.01 * same, 0.01 * same, same, np.zeros(8))
    assert found.theta == pytest.approx(np.full(8, 0.4))
    assert found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1] == pytest.approx(0, abs=1e-6)


MEASURE = "P(rel=2)@10"


@pytest.fixture(scope="module", name="eight")
def _eight() -> Corrected:
    made = generated_collection(0)
    return ds.correct(made.runs, made.judgments, made.audit, [MEASURE], assessor="llm", target="these_topics")


def test_columns_are_the_pool_of_naive_and_rectified(eight: Corrected) -> None:
    result = eight.results[MEASURE]
    weights, estimate = result.weights, result.estimate
    assert weights is not None
    naive = result.naive.mean(axis=1)
    shown, floor = audit_covariances(estimate)
    found = pool(naive, estimate.theta, shown, floor, cosines(weights), popularity(weights))
    assert eight.table["pooled"].to_numpy() == pytest.approx(found.theta)
    assert estimate.audit is not None
    terms = estimate.audit.root.mean(axis=0) ** 2
    half = stats.t.ppf(0.975, terms.sum() ** 2 / (terms**2).sum()) * np.sqrt(np.diag(found.covariance))
    assert eight.table["pooled_low"].to_numpy() == pytest.approx(found.theta - half, abs=1e-6)
    assert eight.table["pooled_high"].to_numpy() == pytest.approx(found.theta + half, abs=1e-6)
    assert eight.compare("bm25", "dense", pooled=True).df == np.inf


def test_pooled_differences_are_called_likely(eight: Corrected) -> None:
    a, b = eight.systems[0], eight.systems[1]
    likely = eight.compare(a, b, pooled=True)
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


def test_too_small_an_audit_is_named() -> None:
    made = generated_collection(0)
    few = made.audit.to_frame().sample(60, seed=1)
    few = few.with_columns(pl.col("inclusion") * 60 / len(made.audit))
    result = ds.correct(made.runs, made.judgments, ds.Audit.from_frame(few), [MEASURE], assessor="llm")
    assert (TOO_SMALL in result.pooled[MEASURE].notes) == (TOO_SMALL in "\n".join(result.notes))
    assert result.table.filter(measure=MEASURE)["pooled"].is_not_nan().all()
