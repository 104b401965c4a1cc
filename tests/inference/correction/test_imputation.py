"""Imputed and rectified scores: the linear case, what they become with full audits, refusals, coverage."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.gold_model import draw_gold
from dissensus.inference.correction.imputation import (
    IMPUTATIONS,
    Jackknife,
    by_imputation,
    impute,
    instead,
    jackknife,
    mend,
)
from dissensus.inference.correction.weights import weights_of
from dissensus.measures.catalog import measure
from dissensus.measures.measure import Linear
from dissensus.tables.audit import Audit


def laid(share: float = 0.3, topics: int = 10, grades: int = 3, seed: int = 0) -> Design:
    """A study whose documents were audited with probability `share` each."""
    runs, bronze, gold = study(topics=topics, grades=grades, seed=seed)
    keep = np.random.default_rng(seed).random(len(gold)) < share
    return lay_out(runs, bronze, Audit(gold.rows(keep), np.full(int(keep.sum()), share)))


def test_draws_keep_audited_labels_vary_and_repeat():
    design = laid()
    drawn = draw_gold(design, seed=0, n=30)
    seen = design.audited
    assert (drawn.labels[seen] == design.gold[seen][:, None]).all()
    assert (drawn.labels[~seen].std(axis=1) > 0).mean() > 0.5
    assert drawn.labels.min() >= 0
    assert drawn.labels.max() <= 2
    np.testing.assert_allclose(drawn.chances.sum(axis=1), 1)
    draw_gold.cache_clear()
    np.testing.assert_array_equal(drawn.labels, draw_gold(design, seed=0, n=30).labels)


def test_an_audited_document_is_thought_of_as_before_it_was_audited():
    """Were its own label used, its chances would lean to it: another label must not make that label likelier."""
    design = laid(topics=20)
    d = int(np.flatnonzero(design.audited)[7])
    chance = []
    for level in range(3):
        gold = design.gold.copy()
        gold[d] = level
        drawn = draw_gold(replace(design, gold=gold), seed=3, n=60)
        chance.append(drawn.chances[int(np.flatnonzero(drawn.audited == d)[0])].mean(axis=1))
    np.testing.assert_allclose(np.array(chance), np.array(chance)[[0, 0, 0]], atol=0.06)


@pytest.mark.parametrize("name", ["DCG@10", "P@5", "RBP(p=0.8)"])
def test_linear_measures_become_rectified_scores(name):
    """X = Σ w [y + (1/π − 1)·I·(v − E v)], y the gold value where audited and the drawn one elsewhere."""
    design, m = laid(), measure(name)
    assert isinstance(m, Linear)
    made = impute(m, design, "population", seed=1)
    drawn = draw_gold(design, seed=1, n=IMPUTATIONS)
    values, weights = m.values(design.gold_scale), weights_of(m, design.joined, design.gold_scale)
    value = values[drawn.labels].mean(axis=1)
    expected = np.einsum("dln,l->d", drawn.chances, values) / IMPUTATIONS
    value[drawn.audited] += (1 / design.inclusion[drawn.audited] - 1) * (value[drawn.audited] - expected)
    np.testing.assert_allclose(made.scores, weights.scores(value), atol=1e-12)


def test_everything_audited_is_the_gold_score():
    runs, bronze, gold = study(topics=8, grades=3)
    design = lay_out(runs, bronze, Audit(gold, np.ones(len(gold))))
    made = impute(measure("nDCG@10"), design, "these_topics", seed=0)
    truth = ds.evaluate(runs, gold, ["nDCG@10"])["nDCG@10"].values[0]
    np.testing.assert_allclose(made.scores, truth, atol=1e-12)
    np.testing.assert_allclose(made.covariance, 0, atol=1e-20)


def test_one_document_is_changed_at_a_time():
    """The sum of effects equals changing each audited document by itself, all others as drawn."""
    design, m = laid(share=0.2, topics=4), measure("AP")
    joined = replace(design.joined, scale=design.gold_scale)
    drawn = draw_gold(design, seed=2, n=3)

    def score(levels):
        return m.scores(joined.with_labels(np.ascontiguousarray(levels)))

    whole = score(drawn.labels)
    made = mend(m.scores, joined, whole, drawn, design)
    slow = whole.copy()
    for at, d in enumerate(drawn.audited):
        for level in range(3):
            changed = drawn.labels.copy()
            changed[d] = level
            moved = np.nan_to_num(whole - score(changed)) * drawn.chances[at, level][:, None, None]
            slow += (1 / design.inclusion[d] - 1) * moved
    known = np.isfinite(slow)
    expected = np.where(known, slow, 0).sum(axis=0) / known.sum(axis=0)
    np.testing.assert_allclose(made.scores, expected, atol=1e-12)


def test_results_say_that_they_are_model_based_and_what_the_model_says_alone():
    runs, bronze, gold = study(topics=25)
    result = ds.correct(runs, bronze, audit(gold, 0.5), ["ERR@10", "AP"])
    truth = ds.evaluate(runs, gold, ["ERR@10", "AP"])
    assert sum(phrase("imputation.model-based-model-error") in n for n in result.notes) == 2
    for row in result.table.iter_rows(named=True):
        assert abs(row["corrected"] - float(truth[row["measure"]].sel(system=row["system"]).mean())) < 3 * row["se"]
    alone = result.results["AP"].sensitivity
    assert alone is not None
    assert alone.method == phrase("imputation.imputation-not-rectified")
    assert np.isfinite(alone.theta).all()


def test_a_named_difference_says_what_it_would_take():
    runs, bronze, gold = study(topics=25)
    result = ds.correct(runs, bronze, audit(gold, 0.3), ["AP"])
    assert phrase("imputation.no-audit-settle-difference", "0.01") in result.compare("A", "B", difference=0.01).advice
    wide = result.compare("A", "B", difference=float(result.compare("A", "B").detectable * 0.97)).advice
    assert phrase("corrected-pairs.audited-documents") in wide


def test_simultaneous_intervals_are_not_shorter_than_single_ones():
    """A handful of telling labels leaves few degrees of freedom, in families of comparisons too."""
    runs, bronze, gold = study(topics=40)
    result = ds.correct(runs, bronze, audit(gold, 0.15), ["AP"])
    every = result.compare_all()
    for a, b in (("A", "B"), ("A", "C"), ("B", "C")):
        single, together = result.compare(a, b), every[a, b]
        assert together.interval[0] <= single.interval[0]
        assert together.interval[1] >= single.interval[1]


def test_a_sample_of_topics_is_not_mended_document_by_document():
    """Three topics are fully audited, too few for per-topic rectification; the others never had a chance."""
    runs, bronze, gold = study(topics=20)
    some = gold.select(topics=list(gold.topics[:3]))
    result = ds.correct(runs, bronze, some, ["AP"])
    estimate = result.results["AP"].estimate
    assert estimate.method == "imputation"
    assert estimate.df == 2
    truth = ds.evaluate(runs, some, ["AP"])["AP"].values[0]
    np.testing.assert_allclose(estimate.scores[:, :3], truth, atol=1e-12)


def test_undefined_topics_are_left_out_and_counted():
    runs, bronze, gold = study(topics=12)
    nothing = np.isin(gold.to_frame()["topic"].to_numpy(), list(gold.topics[:2]))
    gold = gold.with_grades(np.where(nothing, 0, gold.grade).astype(np.int8))
    keep = nothing | (np.random.default_rng(0).random(len(gold)) < 0.4)
    result = ds.correct(runs, bronze, Audit(gold.rows(keep), np.where(nothing, 1.0, 0.4)[keep]), ["AP"])
    assert any(phrase("imputation.topics-measure-undefined-left", 2) in n for n in result.notes)
    assert np.isnan(result.scores["AP"].values[0][:, :2]).all()


def test_one_topic_can_be_asked_about():
    runs, bronze, gold = study(topics=1, pool=30)
    result = ds.correct(runs, bronze, audit(gold, 0.5, 2), ["AP"], target="these_topics")
    assert result.table["corrected"].is_finite().all()
    assert (result.table["se"] > 0).all()


def test_documents_without_a_label_are_spoken_of():
    runs, bronze, gold = study(topics=20)
    known = np.random.default_rng(1).random(len(bronze)) < 0.8
    kept = np.flatnonzero(known)
    audited = gold.rows(np.isin(np.arange(len(gold)), kept[::3]))
    result = ds.correct(runs, bronze.rows(known), audited, ["P@5", "AP", "nDCG@5"])
    for name, where in (("AP", "shown"), ("nDCG@5", phrase("imputation.top", 5))):
        (finding,) = (f for f in result.diagnosis[name] if f.name == "unjudged")
        assert phrase("imputation.documents-no-bronze-label", where) in str(finding)
        assert finding.value == pytest.approx(0.2, abs=0.06)
    rows = {r["measure"]: r for r in result.table.iter_rows(named=True)}
    assert rows["P@5"]["unjudged_high"] > 0
    assert np.isnan(rows["AP"]["unjudged_high"])


def test_a_topic_undefined_in_some_draws_is_no_reason_to_refuse():
    runs = ds.Runs.from_dict({"S1": {"1": {"a": 2.0, "b": 1.0}, "2": {"x": 1.0}}, "S2": {"1": {"b": 3.0, "a": 1.0}}})
    bronze = ds.Judgments.from_dict({"llm": {"1": {"a": 1, "b": 0}, "2": {"x": 1}}})
    gold = ds.Judgments.from_dict({"expert": {"1": {"a": 1, "b": 0}}})
    made = by_imputation(ds.measure("nDCG@2"), lay_out(runs, bronze, Audit(gold)), "population", 0, check=False)[0]
    assert np.isfinite(made.theta).all()


NDCG = ds.measure("nDCG@5")


def test_groups_left_out_by_hand() -> None:
    runs, bronze, gold = study(topics=8, seed=1)
    design = lay_out(runs, bronze, audit(gold, 0.5, 2))
    made = impute(NDCG, design, "these_topics", seed=3)
    assert made is not None
    found = jackknife(NDCG, design, made, 3)
    assert found is not None
    assert found.covariance.shape == (3, 3)
    assert np.all(np.linalg.eigvalsh(found.covariance) > -1e-12)
    theta = made.theta
    assert found.bias / theta == pytest.approx(np.full(3, found.bias[0] / theta[0]))  # common: in proportion to θ


def test_bias_and_variance_are_in_the_standard_error() -> None:
    runs, bronze, gold = study(topics=12, seed=1)
    design = lay_out(runs, bronze, audit(gold, 0.4, 2))
    plain, checked = (by_imputation(NDCG, design, "these_topics", 3, check=c)[0] for c in (False, True))
    assert checked.theta == pytest.approx(plain.theta)  # never subtracted
    made = impute(NDCG, design, "these_topics", seed=3)
    assert made is not None
    found = jackknife(NDCG, design, made, 3)
    assert found is not None
    larger = np.maximum(plain.se**2, np.diag(found.covariance)) + found.beyond**2
    assert checked.se == pytest.approx(np.sqrt(larger))


def test_refusals_say_what_to_do_instead() -> None:
    runs, bronze, gold = study(topics=20)
    few = ds.correct(runs, bronze, audit(gold, 0.06), ["AP", "P@5"])
    assert few.table.filter(measure="AP")["corrected"].is_nan().all()
    assert any(phrase("jackknife.needs-least", "AP", 2) in note and "nDCG-ratio" in note for note in few.notes)
    assert "undefined" in instead("undefined")


def test_a_large_bias_is_in_the_interval_and_no_reason_to_refuse() -> None:
    large = Jackknife(np.full(3, 0.2), 0.01**2 * np.eye(3), 0.0, np.zeros(3))
    np.testing.assert_allclose(large.beyond, 0.2)
    noisy = Jackknife(
        np.full(3, 0.03), 0.01**2 * np.eye(3), 0.02, np.zeros(3)
    )  # what the draws alone may do is no bias
    assert noisy.beyond == pytest.approx(np.full(3, np.sqrt(0.03**2 - 0.02**2)))
    assert not Jackknife(np.full(3, 0.01), np.eye(3), 0.02, np.zeros(3)).beyond.any()
    stepped = Jackknife(np.full(3, 0.01), np.eye(3), 0.02, np.array([0.06, 0.04, 0.02]))  # unseen by five groups
    np.testing.assert_allclose(stepped.beyond, [0.03, 0.02, 0.01])
