"""One number of labels needed, whoever asks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from audited_study import audit, study
from scipy import stats
from wording import phrase

import dissensus as ds
from dissensus.inference.comparison.engine import margin, margins
from dissensus.inference.correction.design import lay_out
from dissensus.inference.planning.prospect import doubt, labels_needed, outlook, power_of


def test_plan_and_compare_name_the_same_number() -> None:
    runs, bronze, gold = study(topics=40)
    known = audit(gold, 0.15)
    result = ds.correct(runs, bronze, known, ["P@5"])
    wide = 0.9 * result.compare("A", "B").detectable
    plan = ds.plan(runs, bronze, known, difference=wide, measures="P@5", systems=("A", "B"))
    pair = result.compare("A", "B", difference=wide)
    needed = labels_needed(ds.measure("P@5"), result.design, (0, 1), wide)
    assert needed.labels == plan.labels
    assert phrase("prospect.about-audited-documents", f"{int(plan.labels):,}") in pair.advice
    assert phrase("prospect.about-audited-documents", f"{int(plan.labels):,}") in plan.sentence


def test_the_number_brings_the_standard_error_that_the_power_needs() -> None:
    runs, bronze, _ = study(topics=40)
    laid = outlook(ds.measure("P@5"), lay_out(runs, bronze, None), 0)
    one, chances = laid.prospect((0, 2), 0), laid.chances("scores", None, 100)
    needed = one.needed(chances, 0.2)
    allowed = 0.2 / margin(39)
    assert one.se(chances.at(needed.labels)) <= allowed < one.se(chances.at(needed.labels - 1.5))
    assert math.isnan(one.needed(chances, 0.001).labels)
    assert one.needed(chances, 0.001).topics > 40


def test_certain_documents_leave_the_topics_part_alone() -> None:
    runs, bronze, _ = study(topics=20)
    laid = outlook(ds.measure("P@5"), lay_out(runs, bronze, None), 0)
    one = laid.prospect((0, 1), 0)
    assert one.se(np.ones(len(one.gap))) == pytest.approx(math.sqrt(one.topics))
    table = one.table(laid.chances("scores", None, 70), 70, None, 0.8, 0.95)
    assert 70 in table["labels"].to_list()  # the budget asked for is in the table


VALUES = np.array([0.0, 1.0])


def test_assumed_before_an_audit_and_estimated_after_it() -> None:
    runs, bronze, gold = study(topics=20)
    before, notes = doubt(lay_out(runs, bronze, None), VALUES)
    assert before == pytest.approx(np.full(3, 0.4))
    assert notes[0].startswith(phrase("doubt.no-audit-yet"))
    design = lay_out(runs, bronze, audit(gold, 0.5))
    after, notes = doubt(design, VALUES)
    seen = design.audited & (design.bronze == 1)
    overall = np.sqrt(np.mean([(v - m) ** 2 for v, m in _residuals(design)]))
    share = design.gold[seen].mean()
    expected = np.sqrt((share * (1 - share) * seen.sum() + 10 * overall**2) / (seen.sum() + 10))
    assert after[1] == pytest.approx(expected)
    assert phrase("doubt.estimated-audit") in notes[0]


def _residuals(design):
    means = {j: design.gold[design.audited & (design.bronze == j)].mean() for j in (0, 1)}
    return [(g, means[int(j)]) for g, j in zip(design.gold, design.bronze, strict=True) if g >= 0]


def test_power_is_never_below_the_size_of_the_test():
    runs = ds.Runs.from_dict({"A": {q: {"x": 2.0, "y": 1.0} for q in "ab"}, "B": {"a": {"y": 2.0}, "b": {"x": 1.0}}})
    bronze = ds.Judgments.from_dict({"llm": {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}})
    table = ds.plan(runs, bronze, difference=0.1, measures="P@1").table
    assert (table["power"] >= 0.05 - 1e-9).all()


def test_power_is_that_of_simulated_t_tests():
    rng = np.random.default_rng(0)
    shift, n = 2.5, 10
    x = rng.normal(shift / math.sqrt(n), 1, (20_000, n))
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / math.sqrt(n))
    found = (np.abs(t) > stats.t.ppf(0.975, n - 1)).mean()
    assert power_of(shift, n - 1) == pytest.approx(found, abs=0.012)
    assert power_of(0.0, 5, 0.9) == pytest.approx(0.1)
    assert power_of(math.inf, 5) == 1.0


def test_a_margin_is_seen_with_its_power():
    assert margin(math.inf) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    assert power_of(margin(math.inf, 0.9, 0.7), math.inf, 0.9) == pytest.approx(0.7, abs=1e-3)
    assert margins(np.array([5.0, 30.0])) == pytest.approx([margin(5.0), margin(30.0)])
