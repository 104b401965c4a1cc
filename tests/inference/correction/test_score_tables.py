"""Score tables corrected topic by topic: by hand, by a slow twin, and by coverage."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from refusals import refused
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.gold_topics import rectified
from dissensus.measures.scores import ScoreArrays
from dissensus.stats.intervals import quantile

NAN = np.nan
JUDGE = np.array([[0.5, 0.6, 0.7, 0.8, 0.9], [0.4, 0.4, 0.6, 0.6, 0.5]])
GOLD = np.array([[0.4, NAN, 0.5, 0.8, NAN], [0.4, NAN, 0.5, 0.5, NAN]])


def made(n=40, m=12, seed=0, systems=3):
    """(judge, gold on m topics, gold on all topics), systems × topics; the judge overrates, the first most of all."""
    rng = np.random.default_rng(seed)
    topic = rng.normal(size=n)
    truth = 1 / (
        1 + np.exp(-(topic + np.array([0.3, 0.0, -0.1])[:systems, None] + 0.7 * rng.normal(size=(systems, n))))
    )
    judge = np.clip(truth**0.6 + 0.1 * rng.normal(size=n) + 0.1 * rng.normal(size=(systems, n)), 0, 1)
    gold = np.full(truth.shape, NAN)
    drawn = rng.choice(n, m, replace=False)
    gold[:, drawn] = truth[:, drawn]
    return judge, gold, truth


def by_hand(judge, gold, target):
    """θ and its covariance, one number after the other, λ = 1 (Cochran 1977, §12.7)."""
    n, there = judge.shape[1], ~np.isnan(gold[0])
    m = int(there.sum())
    error = [[gold[s, t] - judge[s, t] for t in range(n) if there[t]] for s in range(len(judge))]
    theta = [sum(judge[s]) / n + sum(error[s]) / m for s in range(len(judge))]
    covariance = np.zeros((len(judge), len(judge)))
    for s in range(len(judge)):
        for u in range(len(judge)):
            e = np.cov(error[s], error[u])[0, 1]
            if target == "these_topics":
                covariance[s, u] = e / m * (1 - m / n)
                continue
            own = [[judge[i, t] / n + (gold[i, t] - judge[i, t]) / m for t in range(n) if there[t]] for i in (s, u)]
            rest = [[judge[i, t] / n for t in range(n) if not there[t]] for i in (s, u)]
            covariance[s, u] = m * np.cov(*own)[0, 1] + (n - m) * np.cov(*rest)[0, 1]
    return np.array(theta), covariance


def test_the_numbers_by_hand():
    """A: (.5+.6+.7+.8+.9)/5 − (.1+.2+0)/3 = .6; B: .5 − (0+.1+.1)/3 = .43333; errors (−.1, −.2, 0): variance .01."""
    result = ds.correct_scores(dataset([JUDGE, GOLD]), "AP", gold="j1", target="these_topics")
    assert result.table["naive"].to_list() == pytest.approx([0.7, 0.5])
    assert result.table["corrected"].to_list() == pytest.approx([0.6, 0.5 - 0.2 / 3])
    se = math.sqrt(0.01 / 3 * (1 - 3 / 5))
    assert result.table["se"][0] == pytest.approx(se)
    assert result.table["high"][0] == pytest.approx(0.6 + 4.302653 * se)  # t with 2 degrees of freedom
    d = result.compare("s0", "s1")  # errors of the difference: −.1, −.1, .1
    assert d.difference == pytest.approx(0.6 - 0.5 + 0.2 / 3)
    assert d.se == pytest.approx(math.sqrt(0.04 / 3 / 3 * 0.4))
    assert (d.naive, d.method, d.df) == (pytest.approx(0.2), "per-topic", 2)


@pytest.mark.parametrize("target", ["population", "these_topics"])
def test_against_a_slow_twin(target):
    judge, gold, _ = made(m=12)
    result = ds.correct_scores(dataset([judge, gold]), "AP", gold="j1", target=target)
    theta, covariance = by_hand(judge, gold, target)
    np.testing.assert_allclose(result.table["corrected"], theta)
    np.testing.assert_allclose(result.table["se"], np.sqrt(np.diag(covariance)))
    for d in result.compare_all("none").pairs:
        i, j = int(d.a[1]), int(d.b[1])
        assert d.difference == pytest.approx(theta[i] - theta[j])
        assert d.se == pytest.approx(math.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))


@pytest.mark.parametrize(("n", "m"), [(50, 6), (60, 20)])
def test_coverage_of_scores_and_differences(n, m):
    """400 tables, three systems: at least .93 of 1,200 intervals each, for these topics and for all like them."""
    means = made(n=200_000, seed=99)[2].mean(axis=1)
    pairs = np.triu_indices(3, 1)
    inside = dict.fromkeys(("scores", "differences", "these scores", "these differences"), 0)
    for seed in range(400):
        judge, gold, truth = made(n, m, seed)
        arrays = ScoreArrays({"AP": np.stack([judge, gold])}, ("j0", "j1"), ("a", "b", "c"), tuple(range(n)), {})
        for target, mine, key in (("population", means, ""), ("these_topics", truth.mean(axis=1), "these ")):
            r = rectified(arrays, "AP", "j1", None, target)
            half = quantile(0.95, r.made.df) * np.sqrt(np.diag(r.made.covariance))
            inside[f"{key}scores"] += int((np.abs(r.made.theta - mine) <= half).sum())
            low, high = r.family(pairs).interval(0.95)
            true = mine[pairs[0]] - mine[pairs[1]]
            inside[f"{key}differences"] += int(((low <= true) & (true <= high)).sum())
    assert min(inside.values()) >= 0.93 * 1200, inside


def test_gold_on_all_topics_is_gold():
    judge, _, truth = made(n=12, m=3)
    scores = dataset([judge, truth])
    result = ds.correct_scores(scores, "AP", gold="j1")
    np.testing.assert_allclose(result.table["corrected"], truth.mean(axis=1))
    plain = ds.compare(scores, "AP", assessor="j1")
    for d, e in zip(result.compare_all().pairs, plain.pairs, strict=True):
        assert (d.difference, d.se) == pytest.approx((e.difference, e.se))
        assert d.p_value == pytest.approx(e.p_value, abs=1e-6)
    exact = ds.correct_scores(scores, "AP", gold="j1", target="these_topics").compare("s0", "s1")
    assert exact.interval == pytest.approx((exact.difference,) * 2)
    assert exact.p_value == 0
    assert any(phrase("score-tables.change-nothing") in note for note in result.notes)


def test_a_judge_without_errors_so_far_is_not_a_judge_without_errors():
    judge, gold, _ = made(n=30, m=6)
    same = np.where(np.isnan(gold), judge, gold)
    result = ds.correct_scores(dataset([same, gold]), "AP", gold="j1", target="these_topics")
    assert result.table["corrected"].is_nan().all()
    assert any(phrase("score-tables.nothing-tells-how-errs") in note for note in result.notes)
    assert {d.claim.kind for d in result.compare_all().pairs} == {"unanswered"}
    assert ds.correct_scores(dataset([same, gold]), "AP", gold="j1").table["corrected"].is_finite().all()
    twins = np.stack([judge[0], judge[0]])
    pair = ds.compare(dataset([twins, np.stack([gold[0], gold[0]])]), "AP", gold="j1", target="these_topics").pairs[0]
    assert pair.claim.kind == "equal"


def test_sums_and_geometric_means():
    judge, gold, _ = made()
    plain = ds.correct_scores(dataset([judge, gold]), "AP", gold="j1").table
    summed = ds.correct_scores(dataset([judge, gold], attrs={"aggregates": {"AP": "sum"}}), "AP", gold="j1").table
    np.testing.assert_allclose(summed["corrected"], 40 * plain["corrected"])
    np.testing.assert_allclose(summed["se"], 40 * plain["se"])
    attrs = {"aggregates": {"AP": "geometric"}}
    logs = ds.correct_scores(dataset([np.log(judge), np.log(gold)], "x"), "x", gold="j1").table
    geometric = ds.correct_scores(dataset([judge, gold], attrs=attrs), "AP", gold="j1").table
    np.testing.assert_allclose(geometric["corrected"], np.exp(logs["corrected"]))
    np.testing.assert_allclose(geometric["high"], np.exp(logs["high"]))


def test_options_without_gold_and_tests_with_it_are_refused():
    scores = dataset([JUDGE, GOLD])
    with refused(InputError, 'target="these_topics"'):
        ds.compare(scores, "AP", assessor="j0", target="these_topics")
    with refused(InputError, 'test="wilcoxon"', "Student"):
        ds.compare(scores, "AP", "wilcoxon", gold="j1")
    with refused(InputError, "population"):
        ds.correct_scores(scores, "AP", gold="j1", target="all")
    with refused(InputError):
        ds.correct_scores(scores, [], gold="j1")
    result = ds.correct_scores(scores, "AP", gold="j1")
    with refused(InputError, "s9", "s0"):
        result.compare("s0", "s9")


def test_its_forms():
    frame = (
        dataset([JUDGE, GOLD]).to_dataframe().reset_index().melt(["assessor", "system", "topic"], var_name="measure")
    )
    result = ds.correct_scores(frame.dropna(), "AP", gold="j1")
    held = json.loads(result.to_json())
    assert held["tables"]["scores"][0]["gold_topics"] == 3
    assert "0.6000" in str(result)
    assert result.to_frame().equals(result.table)
    baseline = result.compare_all(baseline="s1", difference=0.001)
    assert [(d.a, d.b) for d in baseline.pairs] == [("s0", "s1")]
    assert phrase("score-tables.gold-scores") in baseline.pairs[0].verdict
