"""`judged_only=True`: the judged documents of a ranking alone."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.catalog import measure
from dissensus.measures.condense import JudgedOnly, condensed, condensed_scores
from dissensus.measures.single import ranked_grades


def test_unjudged_documents_leave_before_the_cut_off_and_the_pool_stays() -> None:
    ranking, pool = [None, 1, -1, 0, 1], [1, 0, 1, 1]
    for name in ("P@2", "AP", "nDCG@3", "RR"):
        condensed = measure(name).score([1, 0, 1], pool)
        assert JudgedOnly(measure(name)).score(ranking, pool) == pytest.approx(condensed)
    assert JudgedOnly(measure("AP")).score([None, 1]) == 1


def test_it_has_the_facts_and_the_name_of_its_measure() -> None:
    m = measure("ESL(n=2, judged_only=True)")
    assert isinstance(m, JudgedOnly)
    assert (m.higher_is_better, m.bounded, m.needs_relevant) == (False, False, True)
    assert measure(str(m)) == m
    assert m.shape == "not linear"
    gains = measure("nDCG(judged_only=True)@5").with_gains({0: 0, 1: 3})
    assert str(gains) == "nDCG(gains={0: 0, 1: 3}, judged_only=True)@5"
    assert m.parameters() == {"n": 2, "judged_only": True}


POOL = [2, 0, 3, 1, 0, 1, 3, 1, 0]


def test_the_value_of_the_example() -> None:
    score = ds.measure("AP(judged_only=True)").score([2, 0, 3, 1, None, 0, 1], POOL)
    assert score == pytest.approx(0.513889, abs=6e-7)


@pytest.mark.parametrize("name", ["P@3", "nDCG@4", "RR", "Compat", "INST(max_rel=3)", "G"])
def test_it_is_the_measure_after_condensing(name: str) -> None:
    inner = ds.measure(name)
    head, _, tail = str(inner).partition("@")
    written = head[:-1] + ", judged_only=True)" if head.endswith(")") else f"{head}(judged_only=True)"
    m = ds.measure(written + (f"@{tail}" if tail else ""))
    assert ds.measure(str(m)) == m
    assert m.score([None, 2, -1, 0, None, 1], POOL, "0..3") == inner.score([2, 0, 1], POOL, "0..3")


def test_for_all_measures_it_is_condense() -> None:
    collection = random_collection(4, assessors=3)
    one = collection.evaluate(["AP(judged_only=True)"])["AP(judged_only=True)"]
    np.testing.assert_allclose(one, collection.evaluate(["AP"], unjudged="condense")["AP"])


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
