"""Where an audit falls short, a sentence and no number: documents without a chance, documents all of one kind."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.coverage import out_of_range, scale_findings
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.planning.chances import chance_before


@pytest.mark.parametrize("grade", [0, 1])
def test_an_audit_that_found_one_grade_only_gives_no_certainty(grade):
    runs, bronze, gold = study(topics=12)
    frame = gold.to_frame().filter(pl.col("grade") == grade).gather_every(3)
    result = ds.correct(runs, bronze, ds.Judgments.from_frame(frame, scale="0..1"), ["P@5", "nDCG@5"])
    assert result.table["corrected"].is_nan().all()
    assert result.table["method"].unique().sort().to_list() == ["modelled ideals", "rectified"]
    assert any(phrase("correction-coverage.audited-documents-gold-grade", grade) in note for note in result.notes)
    assert phrase("correction-coverage.no-answer-no-corrected") in result.compare("A", "B", measure="P@5").verdict


def test_difference_plan_refuses_single_scores():
    runs, bronze, gold = study(topics=40)
    plan = ds.plan(runs, bronze, budget=150, measures="P@5", systems=("A", "B"), purpose="differences", seed=2)
    truth = gold.to_frame().rename({"grade": "g"})
    filled = plan.sample.drop("grade").join(truth.select("topic", "doc", grade="g"), on=["topic", "doc"])
    result = ds.correct(runs, bronze, ds.Audit.from_frame(filled, scale="0..1"), ["P@5"])
    assert (
        result.table.select("corrected", "low", "gold_low", "gold_high").select(pl.all().is_nan().all()).row(0)
        == (True,) * 4
    )
    assert phrase("correction-coverage.single-scores-refused") in result.results["P@5"].refused
    assert math.isfinite(result.compare("B", "A").difference)
    assert math.isnan(result.compare("A", "C").difference)


def test_a_plan_for_two_systems_says_nothing_of_two_others():
    """Documents that only C and D retrieved could never be chosen, and so few audited ones would not betray it."""
    runs, bronze, gold = study(topics=40, systems=("A", "B", "C", "D"))
    truth = gold.to_frame().select("topic", "doc", "grade")
    asked = {"measures": "P@5", "purpose": "differences"}
    sample = ds.plan(runs, bronze, budget=150, systems=("A", "B"), **asked).sample.drop("grade")
    filled = ds.Audit.from_frame(sample.join(truth, on=["topic", "doc"]), scale="0..1")
    result = ds.correct(runs, bronze, filled, ["P@5"])
    assert phrase("correction-coverage.planned-difference", "A", "B") in result.compare("C", "D").verdict
    again = ds.plan(runs, bronze, filled, budget=50, systems=("C", "D"), **asked)
    assert set(again.sample["covers"]) == {"pairs"}
    assert set(again.sample["pairs"]) == {'[["C", "D"], ["A", "B"]]'}
    design = lay_out(runs, bronze, filled)
    weights = weights_of(ds.measure("P@5"), design.joined, design.gold_scale)
    apart = weights.row(0) != weights.row(1)
    before = chance_before(design, weights)
    assert (before[apart] > 0).all()
    assert not before[~apart].any()  # nor has what A and B show alike had a chance before
    everything = ds.plan(runs, bronze, audit(gold, 0.2), budget=50, systems=("C", "D"), **asked)
    assert set(everything.sample["covers"]) == {"scores"}  # the first audit could choose any document


def test_imputation_refuses_documents_no_audit_could_reach():
    """An audit of top documents says nothing of R or of ideals: the pool below was never eligible."""
    runs, bronze, gold = study(topics=60, pool=60, depth=60)
    made = ds.plan(runs, bronze, budget=150, measures="P@5")
    truth = gold.to_frame().select("topic", "doc", grade="grade")
    audited = ds.Audit.from_frame(made.sample.drop("grade").join(truth, on=["topic", "doc"]), scale="0..1")
    result = ds.correct(runs, bronze, audited, ["P@5", "AP", "nDCG@10", "nDCG-ratio@10", "RR@5"])
    known = dict(result.table.group_by("measure").agg(pl.col("corrected").is_not_nan().all()).rows())
    assert known == {"P@5": True, "AP": False, "nDCG@10": False, "nDCG-ratio@10": False, "RR@5": True}
    assert any(phrase("correction-coverage.depends-all-judged-documents", "AP") in n for n in result.notes)


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_honest_probabilities_pass(share: float) -> None:
    runs, bronze, gold = study()
    for seed in range(10):
        assert ds.correct(runs, bronze, audit(gold, share, seed), ["P@5"], pooled=False).table.height == 3


@pytest.mark.parametrize("factor", [0.01, 0.1])
def test_probabilities_divided_are_refused_with_numbers(factor: float) -> None:
    runs, bronze, gold = study()
    wrong = audit(gold).to_frame().with_columns(pl.col("inclusion") * factor)
    with refused(InputError, 1, 320, "q00"):
        ds.correct(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"), ["P@5"])


def test_one_absurd_probability_is_refused() -> None:
    runs, bronze, gold = study()
    table = audit(gold).to_frame()
    wrong = table.with_columns(inclusion=pl.when(pl.int_range(pl.len()) == 3).then(1e-300).otherwise("inclusion"))
    with refused(InputError, "1e-300"):
        ds.correct(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"), ["P@5"])
    with refused(InputError, "1e-300"):
        ds.plan(runs, bronze, ds.Audit.from_frame(wrong, scale="0..1"))


def test_scores_outside_the_range_come_with_their_sentence() -> None:
    theta, limits = np.array([0.5, 1.19]), (np.zeros(2), np.ones(2))
    text = out_of_range(("A", "B"), theta, (theta - 0.2, theta + 0.2), limits)
    assert text.startswith(phrase("plausibility.outside-attained-attainable", "B", "1.190", "[0.990, 1.390]", 0, 1))
    assert out_of_range(("A",), theta[:1], (theta[:1] - 0.2, theta[:1] + 0.2), (np.zeros(1), np.ones(1))) == ""
    runs, bronze, gold = study(topics=20)
    few = ds.correct(runs, bronze, audit(gold, 0.08, 3), ["P@5"], target="these_topics")
    outside = (few.table["high"] > 1) | (few.table["low"] < 0)
    assert outside.any()
    assert any(phrase("plausibility.outside-attained") in note for note in few.notes)


def test_audits_of_what_no_system_shows_are_told() -> None:
    runs, bronze, gold = study(pool=60)
    result = ds.correct(runs, bronze, audit(gold, 0.3), ["P@5"])
    text = next(str(f) for f in result.diagnosis["P@5"] if phrase("plausibility.shown-no-system") in str(f))
    design, weights = result.design, result.results["P@5"].weights
    assert weights is not None
    share = (design.audited & ~weights.scored_items).sum() / design.audited.sum()
    assert f"{share:.0%} of" in text


@pytest.fixture(scope="module")
def graded():
    return study(topics=12, grades=4)


def findings(runs, bronze, gold):
    return [(f.name, f.value) for f in scale_findings(lay_out(runs, bronze, gold))]


def test_an_audit_on_the_judges_scale_raises_no_doubt(graded):
    runs, bronze, gold = graded
    assert findings(runs, bronze, audit(gold)) == []


def test_the_judges_own_labels_as_an_audit(graded):
    runs, bronze, _ = graded
    copy = audit(bronze)
    result = ds.correct(runs, bronze, copy, ["P(rel=2)@5"])
    assert [(f.name, f.value) for f in result.diagnosis["audit"] if f.name == "copy"] == [("copy", len(copy.judgments))]
    # a judge without errors errs equally everywhere
    assert all(
        f.p_value == 1 for f in result.diagnosis["P(rel=2)@5"] if f.name.startswith(phrase("audit-scale.errors-by"))
    )
    assert result.compare("A", "B").diagnosis.errors_p == 1


@pytest.mark.parametrize("write", [lambda grade: grade * 10, lambda grade: (grade >= 2).cast(pl.Int64)])
def test_other_scales_are_named(graded, write):
    runs, bronze, gold = graded
    frame = audit(gold).to_frame().with_columns(grade=write(pl.col("grade").cast(pl.Int64)))
    assert [name for name, _ in findings(runs, bronze, ds.Audit.from_frame(frame))] == ["scale"]
