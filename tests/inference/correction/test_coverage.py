"""Where an audit falls short, a sentence and no number: documents without a chance, documents all of one kind."""

from __future__ import annotations

import math

import polars as pl
import pytest
from audited_study import audit, study
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.planning.sample import chance_before


@pytest.mark.parametrize("grade", [0, 1])
def test_an_audit_that_found_one_grade_only_gives_no_certainty(grade):
    runs, bronze, gold = study(topics=12)
    frame = gold.to_frame().filter(pl.col("grade") == grade).gather_every(3)
    result = ds.correct(runs, bronze, ds.Judgments.from_frame(frame, scale="0..1"), ["P@5", "nDCG@5"])
    assert result.table["corrected"].is_nan().all()
    assert any(phrase("correction-coverage.audited-documents-gold-grade", grade) in note for note in result.notes)
    assert phrase("correction-coverage.no-answer-no-corrected") in result.compare("A", "B", measure="P@5").verdict


def test_difference_plan_refuses_single_scores():
    runs, bronze, gold = study(topics=40)
    plan = ds.plan(runs, bronze, budget=150, measure="P@5", systems=("A", "B"), purpose="differences", seed=2)
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
    asked = {"measure": "P@5", "purpose": "differences"}
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
    made = ds.plan(runs, bronze, budget=150, measure="P@5")
    truth = gold.to_frame().select("topic", "doc", grade="grade")
    audited = ds.Audit.from_frame(made.sample.drop("grade").join(truth, on=["topic", "doc"]), scale="0..1")
    result = ds.correct(runs, bronze, audited, ["P@5", "AP", "nDCG@10", "nDCG-ratio@10", "RR@5"])
    known = dict(result.table.group_by("measure").agg(pl.col("corrected").is_not_nan().all()).rows())
    assert known == {"P@5": True, "AP": False, "nDCG@10": False, "nDCG-ratio@10": False, "RR@5": True}
    assert any(phrase("correction-coverage.depends-all-judged-documents", "AP") in n for n in result.notes)
