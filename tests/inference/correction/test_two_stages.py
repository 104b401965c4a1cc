"""Topics drawn first, and documents within them: exact budgets, known chances, scores that hold, and refusals."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import study
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.tables.audit import Audit
from dissensus.tables.design import Frame


def drawn(made: ds.Plan, gold: ds.Judgments) -> Audit:
    """The sample as it comes back, with its frame."""
    truth = gold.to_frame().select("topic", "doc", pl.col("grade").cast(pl.String))
    graded = made.sample.drop("grade").join(truth, on=["topic", "doc"]).with_columns(design=pl.lit(made.design))
    return Audit.from_frame(graded, everyone=made.everyone, scale=gold.scale)


def test_a_budget_is_spent_in_some_topics_and_every_chance_is_known():
    runs, bronze, gold = study(topics=30)
    made = ds.plan(runs, bronze, budget=40, measures="P@5", unit="topic,document", seed=2)
    assert (made.sample.height, made.topics) == (40, 9)
    assert made.sample["topic"].n_unique() == 9
    assert made.everyone["inclusion"].sum() == pytest.approx(40)
    by_topic = made.everyone.group_by("topic").agg(pl.col("inclusion").sum())["inclusion"]
    assert by_topic.to_list() == pytest.approx([40 / 30] * 30)
    assert "#40/9 #" in made.design
    frame = drawn(made, gold).frame
    assert frame is not None
    assert (frame.topics, frame.stage) == (9, pytest.approx(9 / 30))
    row = made.options.filter(pl.col("unit") == "topic,document")
    assert 0 < row["half_width"][0] < 1


@pytest.mark.parametrize("measure", ["P@5", "nDCG@5"])
def test_scores_from_two_stages_are_near_the_truth_and_hold(measure):
    runs, bronze, gold = study(topics=24)
    truth = ds.evaluate(runs, gold, [measure])[measure].values[0].mean(axis=1)
    errors, held = [], []
    for seed in range(12):
        made = ds.plan(runs, bronze, budget=96, measures=measure, unit="topic,document", seed=seed)
        estimate = ds.correct(runs, bronze, drawn(made, gold), measure, target="these_topics").results[measure].estimate
        errors.append(estimate.theta - truth)
        half = 2.8 * estimate.se  # five topics: t with 4 degrees of freedom
        held.append(np.abs(errors[-1]) <= half)
    bias, spread = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert (np.abs(bias) < 4 * spread / 3).all()
    assert np.mean(held) >= 0.85


def test_with_every_document_of_the_drawn_topics_nothing_but_topics_varies():
    runs, bronze, gold = study(topics=24)
    everyone = bronze.to_frame().select("topic", "doc").with_columns(inclusion=pl.lit(8 / 24))
    inside = gold.topics[1::3]
    rows = gold.to_frame().filter(pl.col("topic").is_in(inside)).select("topic", "doc", pl.col("grade").cast(pl.String))
    design = Frame(everyone, "plan --unit topic,document", rows.height, 8).design
    columns = {"inclusion": pl.lit(8 / 24), "design": pl.lit(design)}
    audit = Audit.from_frame(rows.with_columns(**columns), everyone=everyone, scale=gold.scale)
    result = ds.correct(runs, bronze, audit, "P@5", target="these_topics")
    found = result.results["P@5"].estimate
    exact = ds.evaluate(runs, gold, ["P@5"])["P@5"].sel(topic=list(inside)).values[0]
    topics = list(result.topics)
    assert found.scores[:, [topics.index(t) for t in inside]] == pytest.approx(exact)
    assert found.df == 7
    whole = Audit.from_frame(rows.with_columns(inclusion=pl.lit(8 / 24)), scale=gold.scale)
    for target in ("these_topics", "population"):
        one, other = (ds.correct(runs, bronze, a, "RR", target=target).results["RR"].estimate for a in (audit, whole))
        assert one.theta == pytest.approx(other.theta)
        assert one.se == pytest.approx(other.se)


def test_pooled_scores_are_refused_where_topics_were_drawn():
    runs, bronze, gold = study(topics=30, systems=("A", "B", "C", "D"))
    for unit, budget in (("topic,document", 100), ("topic", 150)):
        made = ds.plan(runs, bronze, budget=budget, measures="P@5", unit=unit)
        result = ds.correct(runs, bronze, drawn(made, gold), "P@5", target="these_topics")
        assert phrase("pooled.drew-topics") in result.pooled["P@5"].why_not


def test_ratios_are_refused_and_the_measure_itself_is_offered():
    runs, bronze, gold = study(topics=30)
    made = ds.plan(runs, bronze, budget=100, measures="nDCG@5", unit="topic,document")
    estimate = ds.correct(runs, bronze, drawn(made, gold), "nDCG-ratio@5").results["nDCG-ratio@5"].estimate
    assert "take nDCG@5" in estimate.why_not


def test_what_two_stages_cannot_be():
    runs, bronze, gold = study(topics=30)
    with refused(InputError, "at least 5 topics", options=["unit"]):
        ds.plan(runs, bronze, budget=9, measures="P@5", unit="topic,document")
    few = bronze.select(topics=bronze.topics[:5])
    with refused(InputError, "with 5 topics", options=["unit"]):
        ds.plan(runs, few, budget=60, measures="P@5", unit="topic,document")
    made = ds.plan(runs, bronze, budget=60, measures="P@5")
    with refused(InputError, "draws topics at once", options=["unit"]):
        ds.plan(runs, bronze, drawn(made, gold), budget=60, measures="P@5", unit="topic,document")


def test_a_design_says_how_many_topics_were_drawn():
    table = pl.DataFrame({"topic": ["1", "2"], "doc": ["a", "b"], "inclusion": [0.5, 0.5]})
    assert Frame(table, "plan", 1, 1).design == f"plan #1/1 #{Frame(table).checksum}"
    assert Frame(table, "plan", 1, 1).scaled(0.5).stage == 0.5
    assert Frame(table, "plan", 1).stage is None
