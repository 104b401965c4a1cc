"""Condensed rankings."""

from __future__ import annotations

import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.condense import condensed, condensed_scores
from dissensus.measures.single import ranked_grades


def test_condensed_rankings_lose_what_each_assessor_did_not_judge() -> None:
    runs = ds.Runs.from_dict({"s": {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}})
    judgments = ds.Judgments.from_dict({"x": {"q": {"b": 1, "d": 1}}, "y": {"q": {"a": 0, "c": -1, "d": 1}}})
    scores = ds.evaluate(runs, judgments, ["RR", "AP", "P@2", "Judged@4"], unjudged="condense")
    assert scores["RR"].sel(assessor="x").item() == 1.0
    assert scores["AP"].sel(assessor="x").item() == 1.0
    assert scores["RR"].sel(assessor="y").item() == 0.5  # a, then d: c is below zero and leaves too
    assert scores["Judged@4"].sel(assessor="y").item() == 0.5


def test_every_assessor_is_in_one_part_and_keeps_the_judged_documents_in_order() -> None:
    joined = random_collection(4, assessors=3).joined
    parts = condensed(joined)
    assert sorted(a for p in parts for a in p.assessors) == sorted(joined.assessors)
    for part in parts:
        for a, name in enumerate(part.assessors):
            for s in range(len(joined.length)):
                before = ranked_grades(joined, s, joined.assessors.index(name))
                assert ranked_grades(part, s, a).tolist() == [g for g in before.tolist() if g >= 0]


def test_scores_go_back_to_their_assessors() -> None:
    joined = random_collection(4, assessors=3).joined
    m = ds.measure("P@5")
    scores = condensed_scores(m, joined)
    for a, s in ((0, 1), (2, 3)):
        system, topic = joined.segment_system[s], joined.segment_topic[s]
        kept = [g for g in ranked_grades(joined, s, a).tolist() if g >= 0]
        assert scores[a, system, topic] == sum(g >= 1 for g in kept[:5]) / 5


def test_each_assessor_condenses_for_itself() -> None:
    runs = {"s": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    labels = ds.Judgments.from_dict({"x": {"q": {"c": 1, "z": 1}}, "y": {"q": {"a": 0, "c": 1}}})
    scores = ds.evaluate(runs, labels, ["RR"], unjudged="condense")["RR"].sel(system="s", topic="q")
    assert scores.sel(assessor="x").item() == 1
    assert scores.sel(assessor="y").item() == pytest.approx(1 / 2)


def test_grades_below_zero_leave_too() -> None:
    runs = {"s": {"q": {"a": 3.0, "c": 1.0}}}
    labels = ds.Judgments.from_dict({"x": {"q": {"a": -2, "c": 1}}}, scale="0..1")
    assert ds.evaluate(runs, labels, ["P@1"], unjudged="condense")["P@1"].item() == 1
