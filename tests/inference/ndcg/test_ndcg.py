"""nDCG under a sampled audit: the worked example, a census, and what audits of generated studies cover."""

from __future__ import annotations

from functools import cache

import graded_example as example
import numpy as np
import pytest
from audited_study import audit as audit_of
from audited_study import study
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.weights import Weights, cosines
from dissensus.inference.ndcg.chances import TopicPools, regressors
from dissensus.inference.ndcg.corrected import Gains, sampled_scores
from dissensus.inference.ndcg.plan import worth
from dissensus.inference.ndcg.pooled import shrink
from dissensus.inference.ndcg.regression import Regressors, fit

NOBODY = np.full(288, -1)


@cache
def planned() -> np.ndarray:
    """π of the example, for a budget of 70."""
    key = worth(example.pool(NOBODY, np.ones(288)), example.gains, np.random.default_rng(0)).key
    return np.asarray(70 * key / key.sum())


def audit() -> TopicPools:
    pi = planned()
    return example.pool(np.where(example.audited(pi), example.gold, -1), pi)


# ── the worked example ───────────────────────────────────────────────────────────────────────────────────────────────
def test_the_example_is_the_one_that_was_worked():
    true = [0.964422, 0.925785, 0.916436, 0.885109, 0.872431, 0.855086]
    naive = [0.925987, 0.884551, 0.903012, 0.845657, 0.867413, 0.820429]
    assert example.scores(example.gold) == pytest.approx(true, abs=1e-6)
    assert example.scores(example.judge) == pytest.approx(naive, abs=1e-6)
    assert example.ideals(example.gold)[:4] == pytest.approx([6.816101, 12.725118, 11.058630, 8.848226], abs=1e-6)


def test_the_plan_draws_with_these_probabilities():
    assert planned()[:5] == pytest.approx([0.187656, 0.182752, 0.249308, 0.192726, 0.169700], abs=1e-6)
    assert example.audited(planned()).sum() == 70


def test_what_is_known_of_a_document():
    x, _ = regressors(audit())
    assert x[0] == pytest.approx([1, -1, 1, 0, 0, 0, -1.215213, -2.555089, -1.848125, 0], abs=1e-6)


def test_the_first_step_of_the_climb():
    given = audit()
    x, spread = regressors(given)
    seen = np.flatnonzero(given.audited)
    known = Regressors(x[seen], np.ones((70, 1)), example.topic[seen], 12, spread)
    found = fit((example.gold[seen] >= 1).astype(float), known, np.array([0.7]))
    expected = "1.512048 2.354455 -.028812 -.012341 .076017 .007137 1.562173 1.082888 .490368 -.145472"
    assert found.b == pytest.approx([float(b) for b in expected.split()], abs=1e-6)
    assert found.u[:3, 0] == pytest.approx([-0.214278, 0.206502, -0.004766], abs=1e-6)
    assert found.log_marginal == pytest.approx(-12.631829, abs=1e-6)


def test_corrected_and_pooled_scores_with_4000_draws():
    made = sampled_scores(audit(), example.gains, seed=1, draws=4000)
    assert made.model_theta == pytest.approx([0.9335, 0.8969, 0.9016, 0.8552, 0.8604, 0.8114], abs=0.002)
    assert made.theta == pytest.approx([0.9819, 0.9256, 0.9355, 0.8866, 0.8893, 0.8312], abs=0.002)
    se = np.sqrt(np.diag(made.covariance))
    assert se == pytest.approx([0.0432, 0.0427, 0.0425, 0.0440, 0.0418, 0.0422], abs=0.002)
    naive, overlap = example.scores(example.judge), cosines(example.weights())
    pooled = shrink(naive, made.model_theta, made.theta, made.covariance, overlap)
    assert pooled.theta == pytest.approx([0.9663, 0.9187, 0.9290, 0.8775, 0.8860, 0.8325], abs=0.002)
    sd = np.sqrt(np.diag(pooled.covariance))
    assert sd == pytest.approx([0.0407, 0.0401, 0.0399, 0.0409, 0.0392, 0.0396], abs=0.002)


# ── what must hold ───────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("size", [0.0, 1e-33, 1e-18])
def test_pooled_scores_of_a_census_have_no_variance_below_zero(size: float):
    """Rounding made some of them −7e-19, and a planned sample of nearly the whole pool had intervals of NaN."""
    theta = example.scores(example.gold)
    naive, model = example.scores(example.judge), theta - 0.05
    found = shrink(naive, model, theta, size * np.eye(len(theta)), cosines(example.weights()))
    assert found.theta == pytest.approx(theta, abs=1e-9)
    assert (np.diag(found.covariance) >= 0).all()
    assert (np.diag(found.covariance) <= 1.001 * size + 1e-30).all()


@pytest.mark.parametrize("empty", ["zero", "skip"])
def test_a_census_gives_the_truth(empty):
    made = sampled_scores(example.pool(example.gold, np.ones(288)), example.gains, seed=0, empty=empty)
    assert made.theta == pytest.approx(example.scores(example.gold), abs=1e-12)
    assert made.covariance == pytest.approx(np.zeros((6, 6)), abs=1e-12)
    assert not made.common.any()


def test_topics_without_relevant_documents_count_zero_or_not_at_all():
    grades = np.where(example.topic < 3, 0, example.gold)
    truth = (grades[example.ranked[:, 3:, :10]] @ example.gains.discounts / example.ideals(grades)[3:]).sum(axis=1)
    for empty, number in (("zero", 12), ("skip", 9)):
        made = sampled_scores(example.pool(grades, np.ones(288)), example.gains, seed=0, empty=empty)
        assert made.theta == pytest.approx(truth / number, abs=1e-12)


def test_the_scale_of_gains_does_not_matter_and_blocks_of_topics_do_not(monkeypatch):
    from dissensus.inference.ndcg import ideals

    whole = sampled_scores(audit(), example.gains, seed=3)
    monkeypatch.setattr(ideals, "ROOM", 24 * 200)  # one topic at a time
    parts = sampled_scores(audit(), example.gains, seed=3)
    assert parts.theta == pytest.approx(whole.theta, abs=1e-12)
    assert parts.covariance == pytest.approx(whole.covariance, abs=1e-12)


def test_worth_of_a_label_by_its_definition():
    rng = np.random.default_rng(4)
    dense = np.where(rng.random((3, 6)) < 0.6, rng.random((3, 6)), 0.0)
    weights, label = Weights.from_dense(dense, np.zeros(6, np.int64)), np.array([0, 2, 1, 2, 0, 1])
    ones = np.ones(6, np.int64)
    given = TopicPools(weights, label / 2, label, ones, -ones, ones.astype(float), np.array([0.2, 0.5, 0.4]), 3)
    gains = Gains(np.array([0, 0.4, 1.0]), np.array([1.0, 0.6]))
    rng = np.random.default_rng(9)
    zeta, luck = rng.standard_normal((1, 24)), rng.random((6, 24))
    at_least = 1 / (
        1 + np.exp(np.array([-0.3, 3.3])[:, None, None] - 1.5 * (2 * given.bronze - 1)[:, None] - 1.2 * zeta)
    )
    grade = (luck < at_least).sum(axis=0)
    p = -np.diff(at_least, axis=0, prepend=1, append=0)
    value = np.zeros((6, 24))
    for n in range(24):
        for d in range(6):
            y = np.zeros((3, 3))
            for b in range(3):
                labels = grade[:, n].copy()
                labels[d] = b
                best = -np.sort(-gains.values[labels])[:2] @ gains.discounts
                y[b] = dense @ gains.values[labels] / best if best else 0
            apart = y - y.mean(axis=1, keepdims=True)
            level, chance = y.mean(axis=1), p[:, d, n]
            value[d, n] = chance @ level**2 - (chance @ level) ** 2
            value[d, n] += ((chance @ apart**2) - (chance @ apart) ** 2).mean() / 2
    found = worth(given, gains, np.random.default_rng(9))
    assert found.key == pytest.approx(np.sqrt(value.mean(axis=1)), abs=1e-12)


def test_new_topics_cost_more_than_these_and_a_difference_no_less_than_the_judges_own():
    runs, bronze, gold = study(topics=30, systems=("A", "B", "C", "D"), grades=3)
    drawn = audit_of(gold, 0.4)
    here, there = (ds.correct(runs, bronze, drawn, "nDCG@5", target=t) for t in ("these_topics", "population"))
    assert (there.table["se"] > here.table["se"]).all()
    assert here.table["corrected"].to_list() == there.table["corrected"].to_list()
    pair = np.array([0]), np.array([1])
    judged = there.results["nDCG@5"].naive
    plain = (judged[0] - judged[1]).std(ddof=1) / np.sqrt(judged.shape[1])
    for estimate in (there.results["nDCG@5"].estimate, there.pooled["nDCG@5"]):
        assert estimate.se_between(*pair)[0] > plain
    assert np.isfinite(there.pooled["nDCG@5"].pool.disagreement).all()
    with refused(InputError, "empty", options=["empty"]):
        ds.correct(runs, bronze, drawn, "AP", empty="zero")
