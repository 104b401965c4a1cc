"""Findings about the audit and the judge."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import study
from paths import ROOT
from scipy.stats import chi2, chi2_contingency
from wording import phrase

import dissensus as ds
from dissensus.inference.correction.design import lay_out
from dissensus.inference.correction.diagnosis import MATRIX, audit_findings, differential


def test_plain_judgments_take_inclusion_within_labels():
    runs, bronze, gold = study()
    frame = gold.to_frame().filter(pl.Series(np.random.default_rng(0).random(gold.n_items) < 0.4))
    result = ds.correct(runs, bronze, ds.Judgments.from_frame(frame, scale="0..1"), ["P@5"])
    assert any(phrase("diagnosis.taken-within-bronze-label") in note for note in result.notes)
    names = {f.name for f in result.diagnosis["audit"]}
    assert {"sample by label", "sample by topic", "sample by depth", "sample by system"} <= names
    weights = 1 / result.design.inclusion[result.design.audited]
    assert weights.sum() == pytest.approx(gold.n_items)


def test_judges_worse_than_a_coin_are_not_called_incorrigible():
    runs, bronze, _ = study(topics=6)
    found = ds.correct(runs, bronze, ds.Confusion(None, counts=[[30, 70], [80, 20]]), ["P@5"])
    said = str(found.diagnosis["P@5"][0])
    assert said.startswith("! ")
    assert phrase("diagnosis.standard-errors-worse-coin", "-0.500", "8.2", 0) in said
    coin = ds.correct(runs, bronze, ds.Confusion([[0.6, 0.4], [0.6, 0.4]]), ["P@5"])
    assert str(coin.diagnosis["P@5"][0]).endswith(phrase("diagnosis.not-better-coin", "0.000"))


def test_discrimination_of_a_graded_judge_is_told_as_the_measure_sees_him():
    rng = np.random.default_rng(4)
    runs = ds.Runs.from_dict({s: {str(q): {f"d{i}": rng.random() for i in range(12)} for q in range(30)} for s in "AB"})
    gold = {str(q): {f"d{i}": int(rng.integers(0, 3)) for i in range(12)} for q in range(30)}
    said = {q: {d: g if rng.random() < 0.7 else int(rng.integers(0, 3)) for d, g in t.items()} for q, t in gold.items()}
    bronze = ds.Judgments.from_dict({"llm": said}, scale="0..2")
    result = ds.correct(runs, bronze, ds.Judgments.from_dict({"gold": gold}, scale="0..2"), "P@5", "confusion")
    found = {f.name: f.sentence for f in result.diagnosis["P@5"]}
    pairs = [(g > 0, said[q][d] > 0) for q, t in gold.items() for d, g in t.items()]
    hit = np.mean([j for g, j in pairs if g])
    miss = np.mean([not j for g, j in pairs if not g])
    assert found["discrimination"].startswith(
        phrase("diagnosis.grades-taken-relevant-not", f"{hit:.1%}", f"{miss:.1%}")
    )
    assert f"D = {hit + miss - 1:.3f}" in found["discrimination"]


def test_equal_error_rates_are_rarely_called_different_and_unequal_ones_often():
    rng = np.random.default_rng(0)
    gold, stratum = rng.integers(0, 2, 400), rng.integers(0, 3, 400)
    right = rng.random((60, 400)) < 0.8
    equal = [differential(gold, np.where(r, gold, 1 - gold), stratum) for r in right]
    assert np.mean(np.array(equal) < 0.05) < 0.15
    worse = rng.random((20, 400)) < np.where(stratum == 2, 0.6, 0.9)
    assert all(differential(gold, np.where(r, gold, 1 - gold), stratum) < 0.01 for r in worse)


def test_the_statistic_is_pearsons_within_gold_classes():
    rng = np.random.default_rng(3)
    gold, stratum, bronze = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.integers(0, 2, 300)
    total = df = 0
    for g in (0, 1):
        table = np.array([[np.sum((gold == g) & (stratum == s) & (bronze == b)) for b in (0, 1)] for s in (0, 1)])
        test = chi2_contingency(table, correction=False)
        total, df = total + test.statistic, df + test.dof
    assert differential(gold, bronze, stratum) == pytest.approx(chi2.sf(total, df))


def test_small_audits_and_labels_without_an_audit_are_worries():
    runs, bronze, gold = study(topics=6)
    seen = gold.to_frame().filter(pl.col("topic") == "q00")
    both = seen.join(bronze.to_frame(), on=["topic", "doc"], suffix="_llm").filter(pl.col("grade_llm") == 1)
    few = ds.Audit.from_frame(
        both.select("topic", "doc", "grade").with_columns(inclusion=pl.lit(0.2)), scale=gold.scale
    )
    findings = audit_findings(lay_out(runs, bronze, few))
    by_name = {f.name: f for f in findings}
    assert by_name["audit"].value == both.height
    assert by_name["few labels"].worry
    lost = int((bronze.grade == 0).sum())
    assert phrase("diagnosis.bronze-label-documents", 0, lost) in by_name["label without audit"].sentence


def test_faults_of_the_matrix_are_worries_only_where_scores_came_through_it():
    folder = ROOT / "examples"
    files = ds.read_runs(folder / "runs" / "*"), ds.read_judgments(folder / "labels.csv"), folder / "audit.csv"
    name = "P(rel=2)@10"
    rectified, through = (
        ds.correct(*files, name, assessor="llm", method=method) for method in ("rectified", "confusion")
    )
    odd = [f.name for f in through.results[name].findings if f.worry and f.name in MATRIX]
    assert odd
    assert [f.name for f in through.diagnosis[name] if f.worry and f.name in MATRIX] == odd
    assert [f.name for f in rectified.results[name].findings if f.worry and f.name in MATRIX]
    assert not [f.name for f in rectified.diagnosis[name] if f.worry and f.name in MATRIX]
