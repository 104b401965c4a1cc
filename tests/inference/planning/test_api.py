"""Audit plans: probabilities, samples that come back, and what no audit can settle."""

from __future__ import annotations

import math
import re

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from paths import ROOT
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.planning.chances import FLOOR, inclusion
from dissensus.inference.planning.units import bought
from dissensus.tables.audit import Audit


def test_probabilities_keep_their_promises():
    rng = np.random.default_rng(0)
    key = rng.random(500) ** 3
    key[:50] = 0
    pi = inclusion(key, key > 0, 120)
    assert pi.sum() == pytest.approx(120, abs=1e-6)
    assert pi.max() <= 1
    assert (pi[:50] == 0).all()
    assert (pi[50:] >= FLOOR).all()
    free = (pi > FLOOR + 1e-12) & (pi < 1)
    ratio = pi[free] / key[free]
    assert ratio.max() == pytest.approx(ratio.min())
    assert (inclusion(key, key > 0, 10_000)[50:] == 1).all()


def fill(sample, gold):
    truth = gold.to_frame().select("topic", "doc", truth=pl.col("grade").cast(pl.String))
    joined = sample.join(truth, on=["topic", "doc"], how="left")
    return ds.Audit.from_frame(joined.with_columns(grade=pl.col("truth")).drop("truth"), scale=gold.scale)


def test_a_plan_comes_back_as_an_unbiased_audit():
    runs, bronze, gold = study(topics=15)
    truth = ds.evaluate(runs, gold, ["P@5"])["P@5"].mean("topic").values[0]
    found = []
    for seed in range(25):
        made = ds.plan(runs, bronze, budget=80, measures="P@5", seed=seed)
        result = ds.correct(runs, bronze, fill(made.sample, gold), ["P@5"])
        found.append(result.table["corrected"].to_numpy())
    found = np.array(found)
    assert np.all(np.abs(found.mean(axis=0) - truth) < 3.5 * found.std(axis=0, ddof=1) / math.sqrt(25))


def test_targeted_plans_beat_random_ones():
    runs, bronze, gold = study(topics=30)
    truth = ds.evaluate(runs, gold, ["P@5"])["P@5"].mean("topic").values[0]
    n = 100
    aimed, blind = [], []
    for seed in range(14):
        made = ds.plan(runs, bronze, budget=n, measures="P@5", systems=("A", "B"), seed=seed)
        aimed.append(ds.correct(runs, bronze, fill(made.sample, gold), ["P@5"]).compare("A", "B").difference)
        loose = audit(gold, n / gold.n_items, seed)
        blind.append(ds.correct(runs, bronze, loose, ["P@5"]).compare("A", "B").difference)
    gap = truth[0] - truth[1]
    rmse = [math.sqrt(np.mean((np.array(x) - gap) ** 2)) for x in (aimed, blind)]
    assert rmse[0] < 0.8 * rmse[1]


def test_labels_topics_and_the_curve():
    runs, bronze, _ = study(topics=30)
    made = ds.plan(runs, bronze, difference=0.3, measures="P@5", systems=("A", "C"))
    assert 1 <= made.labels <= made.everyone.height
    assert made.budget == made.labels
    assert (made.table["se"].diff().drop_nulls() <= 1e-12).all()
    assert made.table["power"].is_sorted()
    hopeless = ds.plan(runs, bronze, difference=0.001, measures="P@5")
    assert math.isnan(hopeless.labels)
    assert hopeless.queries > 1000
    assert phrase("corrected-pairs.no-audit-settle") in hopeless.sentence
    assert phrase("plan.voids-value") in str(hopeless)


def test_second_round_holds_the_first():
    runs, bronze, gold = study(topics=20)
    first = audit(gold, 0.2)
    made = ds.plan(runs, bronze, first, budget=50, measures="P@5")
    graded = made.sample.filter(pl.col("grade").is_not_null())
    assert graded.height == len(first)
    assert (graded["inclusion"] >= 0.2 - 1e-12).all()
    assert any(phrase("planning.joint-inclusion") in n for n in made.notes)


def test_a_plan_has_the_outcome_of_what_is_known_before_it():
    runs, bronze, gold = study(20)
    before = ds.plan(runs, bronze, budget=40, measures="P@10", seed=1)
    alone = ds.compare(ds.evaluate(runs, bronze, "P@10"), "P@10")
    assert before.outcome.headline == alone.outcome.headline
    assert before.claims[-1] == before.outcome.headline
    assert before.facts["outcome"]["order"] == list(alone.outcome.order)
    named = ds.plan(runs, bronze, budget=40, measures="P@10", systems=runs.systems[:2])
    assert set(named.outcome.order) == set(runs.systems[:2])
    audited = audit(gold)
    after = ds.plan(runs, bronze, audited, 40, measures="P@10", seed=1)
    assert after.outcome.headline == ds.correct(runs, bronze, audited, "P@10").outcome.headline


def test_same_seed_same_sample():
    runs, bronze, _ = study(topics=10)
    a, b = (ds.plan(runs, bronze, budget=30, seed=4).sample for _ in range(2))
    assert a.equals(b)
    assert not a.equals(ds.plan(runs, bronze, budget=30, seed=5).sample)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ({"budget": -1}, "budget=-1"),
        ({"difference": 0}, "difference=0"),
        ({"power": 1.5}, "power=1.5"),
        ({"systems": ("A", "Z")}, "Z"),
    ],
)
def test_wrong_input(arguments, value):
    runs, bronze, _ = study(topics=5)
    with refused(InputError, value):
        ds.plan(runs, bronze, **arguments)


def test_a_plan_for_ndcg_draws_its_budget_and_says_what_it_buys():
    runs, bronze, gold = study(topics=30)
    made = ds.plan(runs, bronze, budget=150, measures=["nDCG@10", "P@10"], minutes_per_label=2, price=0.5)
    assert made.sample.height == 150
    assert made.everyone["inclusion"].sum() == pytest.approx(150)
    assert made.everyone["inclusion"].min() >= 0.002
    assert made.options.select("measure", "unit").rows() == [
        (name, unit) for name in ("nDCG@10", "P@10") for unit in ("document", "topic", "topic,document")
    ]
    row = made.table.filter(pl.col("labels") == 150)
    assert made.options["detectable"][0] == pytest.approx(row["detectable"][0])
    assert any("5.0 hours" in note and "75" in note for note in made.notes)
    known = {(t, d): g for t, d, g in gold.to_frame().select("topic", "doc", "grade").iter_rows()}
    grades = [known[t, d] for t, d in made.sample.select("topic", "doc").iter_rows()]
    audit = Audit.from_frame(made.sample.with_columns(grade=pl.Series(grades)))
    found = ds.correct(runs, bronze, audit, "nDCG@10", target="these_topics").table
    truth = ds.evaluate(runs, gold, ["nDCG@10"])["nDCG@10"].mean("topic").values[0]
    assert ((found["low"].to_numpy() <= truth) & (truth <= found["high"].to_numpy())).all()


@pytest.mark.parametrize("name", ["nDCG@10", "P(rel=2)@10"])
def test_what_a_plan_forecasts_is_what_an_audit_of_that_size_then_says(name):
    folder = ROOT / "examples"
    runs, labels = ds.read_runs(str(folder / "runs/*.gz")), ds.read_judgments(folder / "labels.csv")
    audit = ds.read_audit(folder / "audit.csv")
    made = ds.plan(runs, labels, budget=len(audit), measures=name, assessor="llm", minutes_per_label=2, price=0.5)
    row = made.options.filter(pl.col("unit") == "document").to_dicts()[0]
    told = {}
    for target in ("these_topics", "population"):
        notes = ds.correct(runs, labels, audit, name, assessor="llm", target=target).notes
        note = next(n for n in notes if phrase("correction.this-audit-finds") in n)
        told[target] = [float(x) for x in re.findall(r"(?:± |differences of )(0\.\d+)", note)]
    assert 0.7 < told["these_topics"][0] / row["half_width"] < 1.4
    assert 0.7 < told["population"][1] / row["detectable"] < 1.4
    assert f"{len(audit) * 2 / 60:.1f} hours" in made.notes[-1]
    assert f"{len(audit) / 2:.0f}." in made.notes[-1]


def test_whole_topics_are_drawn_and_corrected_by_topic():
    runs, bronze, gold = study(topics=30)
    made = ds.plan(runs, bronze, budget=150, measures="AP", unit="topic")
    drawn = made.sample["topic"].unique().to_list()
    whole = bronze.to_frame().filter(pl.col("topic").is_in(drawn)).height
    assert made.sample.height == whole <= 150
    assert made.sample["inclusion"].to_list() == pytest.approx([len(drawn) / 30] * whole)
    known = {(t, d): g for t, d, g in gold.to_frame().select("topic", "doc", "grade").iter_rows()}
    grades = [known[t, d] for t, d in made.sample.select("topic", "doc").iter_rows()]
    audit = Audit.from_frame(made.sample.with_columns(grade=pl.Series(grades)))
    found = ds.correct(runs, bronze, audit, ["AP", "P@5"], target="these_topics")
    assert found.results["AP"].estimate.method == "per-topic"
    assert found.results["P@5"].estimate.df < len(drawn)
    with refused(InputError, "whole topics", options=["budget"]):
        ds.plan(runs, bronze, budget=20, measures="AP", unit="topic")


@pytest.mark.parametrize("name", ["AP", "ERR", "RR"])
def test_what_was_planned_for_a_measure_that_is_not_linear_corrects_it(name):
    """Every judged document has a chance, half of the budget is spread evenly, and `correct` does not refuse."""
    runs, bronze, gold = study(topics=30)
    made = ds.plan(runs, bronze, budget=150, measures=name)
    assert any(phrase("planning.not-linear-documents-weighed", name) in n for n in made.notes)
    assert made.everyone.height == len(bronze)
    assert made.everyone["inclusion"].sum() == pytest.approx(150, rel=1e-6)
    assert made.everyone["inclusion"].min() >= 75 / len(bronze) - 1e-12
    graded = made.sample.drop("grade").join(gold.to_frame().select("topic", "doc", "grade"), on=["topic", "doc"])
    audit = ds.Audit.from_frame(graded, scale=gold.scale)
    result = ds.correct(runs, bronze, audit, [name])
    truth = ds.evaluate(runs, gold, [name])[name].values[0].mean(axis=1)
    table = result.table
    assert (np.abs(table["corrected"].to_numpy() - truth) < 4 * table["se"].to_numpy()).all()
    again = ds.plan(runs, bronze, audit, budget=50, measures=name)
    assert again.table["se"][0] < made.table["se"][0]


def test_the_least_probability_does_not_eat_the_budget():
    pi = inclusion(np.linspace(1, 2, 50_000), np.ones(50_000, bool), 200)
    assert pi.sum() == pytest.approx(200)
    assert pi.min() >= 100 / 50_000


def test_binary_judge_and_graded_measure():
    """The bronze scale ends below the grade that counts: there is a sample all the same, and a warning in words."""
    runs, bronze, _ = study(topics=8)
    made = ds.plan(runs, bronze, budget=30, measures="P(rel=2)@5")
    assert made.sample.height > 10
    assert any(phrase("planning.too-hopeful") in n for n in made.notes)


def test_an_audit_that_hides_how_topics_vary_promises_nothing():
    folder = ROOT / "examples"
    runs, labels = ds.read_runs(str(folder / "runs/*.gz")), ds.read_judgments(folder / "labels.csv")
    half = ds.read_audit(folder / "audit.csv").to_frame().sample(fraction=0.5, seed=2)
    audit = ds.Audit.from_frame(half.with_columns(pl.col("inclusion") / 2), scale="0..3")
    found = ds.plan(
        runs, labels, audit, difference=0.03, measures="AP", assessor="llm", systems=("bm25", "crossenc")
    )  # fmt: skip
    assert found.table["se"].min() > 0.01  # as the bronze labels vary by topic, not 0
    assert any(phrase("planning.small-tell-how-difference") in note for note in found.notes)


def test_a_few_labels_without_an_error_leave_doubt():
    grades = {t: {"x": 1, "y": 0, "z": t % 2} for t in range(6)}
    runs = ds.Runs.from_dict({
        "a": {t: {"x": 2.0, "y": 1.0} for t in grades},
        "b": {t: {"z": 2.0, "y": 1.0} for t in grades},
    })  # fmt: skip
    bronze, gold = ds.Judgments.from_dict({"llm": grades}), ds.Judgments.from_dict({"gold": {0: {"x": 1, "y": 0}}})
    found = ds.plan(runs, bronze, gold, measures="P@1", difference=2.0)
    assert found.table["labels"].max() == 12
    assert any(phrase("planning.no-error-labels", 2) in note for note in found.notes)


@pytest.mark.parametrize("name", ["P@1", "AP"])
def test_one_topic_names_no_number_of_labels(name):
    runs = ds.Runs.from_dict({"a": {1: {"x": 2.0, "y": 1.0}}, "b": {1: {"y": 2.0, "x": 1.0}}})
    found = ds.plan(runs, ds.Judgments.from_dict({"llm": {1: {"x": 1, "y": 0}}}), measures=name, difference=0.1)
    assert math.isnan(found.labels)
    assert phrase("planning.one-topic") in found.sentence


def test_one_topic_promises_no_difference():
    row = {"measure": "nDCG@5", "half_width": 0.053, "detectable": math.nan, "useless": False}
    assert bought(row, "30 labels").endswith(phrase("planning.single-topic"))
    assert bought({**row, "detectable": 0.1}, "30 labels").endswith(phrase("planning.differences-of", "0.100"))


def test_a_plan_for_differences_says_that_it_cannot_score_only_where_that_is_so():
    # P@1 of two systems with different first documents: every document that counts tells them apart
    apart = {"A": {"q1": {"d1": 2.0, "d2": 1.0}}, "B": {"q1": {"d2": 2.0, "d1": 1.0}}}
    same = {"A": {"q1": {"d1": 3.0, "d2": 2.0}}, "B": {"q1": {"d1": 3.0, "d3": 2.0}}}
    labels = {"q1": {"d1": 1, "d2": 0, "d3": 1}}
    for runs, measure, left_out in ((apart, "P@1", 0), (same, "P@2", 1)):
        made = ds.plan(runs, labels, budget=2, measures=measure, purpose="differences")
        gone = [note for note in made.notes if phrase("planning.not-score") in note]
        assert len(gone) == left_out
        assert all("1 document " in note for note in gone)


def test_identical_systems_cannot_be_planned_for():
    runs, bronze, _ = study(topics=6)
    rankings = runs.select(systems=["A", "B"]).to_frame().filter(pl.col("system") == "A")
    twins = pl.concat([runs.to_frame(), rankings.with_columns(system=pl.lit("A2"))])
    assert set(ds.plan(twins, bronze, measures="P@5").pair) != {"A", "A2"}
    with refused(InputError, "A2", "P@5"):
        ds.plan(twins, bronze, measures="P@5", systems=("A", "A2"))


def test_an_audit_whose_probabilities_leave_documents_out_is_not_continued():
    runs, bronze, gold = study(topics=10)
    half = gold.to_frame().gather_every(2).select("topic", "doc", "grade").with_columns(inclusion=pl.lit(1.0))
    with refused(InputError, 41, 88):
        ds.plan(runs, bronze, ds.Audit.from_frame(half, scale=gold.scale), measures="P@5")
