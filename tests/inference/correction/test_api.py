"""ds.correct: files in, corrected scores, covariances, comparisons and words out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from audited_study import audit, study
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError


@pytest.fixture(scope="module", name="made")
def _made():
    runs, bronze, gold = study()
    return runs, bronze, gold, ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])


def test_topics_that_the_judge_left_out_are_not_scored():
    grades = {"ann": {q: {"x": 1} for q in "abc"}, "ben": {"a": {"x": 1}, "c": {"x": 0}}}
    both = ds.Judgments.from_dict(grades, scale="0..1")
    runs = ds.Runs.from_dict({s: {q: {d: 1.0} for q in "abc"} for s, d in (("A", "x"), ("B", "y"))})
    judge = ds.Confusion(None, counts=[[80, 20], [10, 90]])
    for result in (
        ds.correct(runs, both, judge, "P@1", assessor="ben"),
        ds.correct(runs, both.select(assessors=["ben"]), judge, "P@1"),
    ):
        assert result.topics == ("a", "c")
        assert result.table["naive"].to_list() == [0.5, 0.0]


def test_audited_documents_that_were_never_judged():
    runs, bronze, gold = study()
    hidden = bronze.rows(np.arange(len(bronze)) % 7 != 0)
    frame = hidden.to_frame()
    fewer = ds.Judgments.from_frame(frame, scale="0..1")
    result = ds.correct(runs, fewer, audit(gold, 0.5), ["P@5"])
    assert result.design.covers_unjudged
    assert any(phrase("correction.predicted-like-any-label") in f.sentence for f in result.results["P@5"].findings)
    without = ds.correct(runs, fewer, ds.Confusion(None, counts=[[80, 20], [10, 90]]), ["P@5"])
    assert (without.table["unjudged_high"] > 0).all()
    assert any(phrase("correction.without-bronze-label") in f.sentence for f in without.results["P@5"].findings)


def test_several_assessors_need_a_name_or_a_merge():
    runs, bronze, gold = study(topics=6)
    two = pl.concat([bronze.to_frame(), gold.to_frame()])
    both = ds.Judgments.from_frame(two, scale="0..1")
    with refused(InputError, 2, options=["assessor", "merge"]):
        ds.correct(runs, both, gold, ["P@5"])
    assert ds.correct(runs, both, gold, ["P@5"], assessor="llm").table.height == 3
    merged = ds.merge(both, ties="lower").judgments
    assert ds.correct(runs, merged, gold, ["P@5"]).table.height == 3


def test_wrong_input():
    runs, bronze, gold = study(topics=6)
    with refused(InputError, 'method="magic"'):
        ds.correct(runs, bronze, gold, ["P@5"], "magic")
    with refused(InputError, 'method="rectified"'):
        ds.correct(runs, bronze, ds.Confusion.uniform(2, 0.2), ["P@5"], "rectified")
    stranger = ds.Judgments.from_dict({"expert": {"other": {"x": 1}}})
    with refused(InputError):
        ds.correct(runs, bronze, stranger, ["P@5"])
    result = ds.correct(runs, bronze, gold, ["P@5", "P@3"])
    with refused(InputError, "P@5", "P@3"):
        result.compare("A", "B")
    with refused(InputError, "Z"):
        result.compare("A", "Z", measure="P@5")
    with refused(InputError, "difference=-1"):
        result.compare_all(difference=-1)
    with refused(InputError):
        ds.correct(runs.select(systems=["A"]), bronze, gold, ["P@5"]).compare_all()


def test_a_matrix_of_other_grades_is_refused_with_a_way_out():
    runs, bronze, _ = study(topics=6, grades=3)
    with refused(InputError, 5, "0…2"):
        ds.correct(runs, bronze, ds.Confusion.uniform(5, 0.2), ["P@5"])
    read_off = ds.Judgments.from_frame(bronze.to_frame())
    with refused(InputError, 'scale="0..4"'):
        ds.correct(runs, read_off, ds.Confusion.uniform(5, 0.2), ["P@5"])


def test_these_topics_are_not_a_target_of_the_matrix():
    runs, bronze, gold = study(topics=6)
    judge = ds.Confusion(None, counts=[[80, 20], [10, 90]])
    with refused(InputError, 'target="these_topics"'):
        ds.correct(runs, bronze, judge, ["P@5"], target="these_topics")
    with refused(InputError, 'target="these_topics"'):
        ds.correct(runs, bronze, gold, ["P@5"], "confusion", target="these_topics")
    with pytest.raises(InputError) as one:
        ds.correct(runs.select(topics=["q00"]), bronze, judge, ["P@5"])
    assert "these_topics" not in str(one.value)  # it would be refused, too


def test_same_seed_same_numbers(made):
    runs, bronze, gold, result = made
    again = ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])
    assert again.table.equals(result.table)
