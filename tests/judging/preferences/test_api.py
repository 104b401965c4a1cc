"""`preferences` as a whole."""

from __future__ import annotations

import pytest
from paths import shared_data
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.judging.preferences.api import check_order_measures, orders_of


def test_grades_by_strength_serve_compat() -> None:
    rows = [("q", "x", "y", "ann", "a"), ("q", "y", "z", "ann", "a"), ("q", "x", "z", "ann", "a")]
    found = ds.preferences(ds.Preferences.from_rows(rows), items="topic")
    assert [r[1:] for r in found.judgments().to_frame().select("topic", "doc", "grade").rows()] == [
        ("x", 3),
        ("y", 2),
        ("z", 1),
    ]
    best, worst = {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}, {"q": {"z": 3.0, "y": 2.0, "x": 1.0}}
    scores = ds.evaluate(ds.Runs.from_dict({"best": best, "worst": worst}), found.judgments(), ["Compat(p=0.8)"])
    values = scores["Compat(p=0.8)"].values.ravel()
    assert values[0] == pytest.approx(1.0)
    assert values[1] < 1.0


def test_people_and_gpt4o_on_dl21() -> None:
    """11,681 answers by people; GPT-4o answered 9,416 of the same questions, 2,423 of them with "same"."""
    data = shared_data("trec-dl21-passage")
    people = ds.read_preferences(data / "human_preferences.dl21.txt.gz", assessor="people")
    gpt = ds.read_preferences(data / "gpt4o_on_human_preference_pairs.dl21.txt.gz", assessor="gpt4o")
    assert (len(people), len(gpt), int((gpt.answer == 0.5).sum())) == (11_681, 9_416, 2_423)
    both = ds.Preferences.from_rows([*people.to_frame().rows(), *gpt.to_frame().rows()])
    some = both.rows(both.topic < 12)
    row = ds.preferences(some).agreement.row(0, named=True)
    assert 0.55 < row["decided"] < 0.7
    assert row["decided_low"] > 0.5


ROWS = [
    ("q", "d1", "d2", "ann", "a"),
    ("q", "d2", "d3", "ann", "a"),
    ("q", "d1", "d2", "bob", "b"),
    ("r", "d1", "d2", "bob", "same"),
]


def test_each_assessor_has_its_order() -> None:
    grades = {(t, d, a): g for t, d, a, g in orders_of(ds.Preferences.from_rows(ROWS)).to_frame().rows()}
    assert [grades["q", d, "ann"] for d in ("d1", "d2", "d3")] == [3, 2, 1]
    assert grades["q", "d2", "bob"] > grades["q", "d1", "bob"]
    assert grades["r", "d1", "bob"] == grades["r", "d2", "bob"]


def test_a_run_in_that_order_is_compatible() -> None:
    runs = ds.Runs.from_dict({"good": {"q": {"d1": 3.0, "d2": 2.0, "d3": 1.0}}, "bad": {"q": {"d3": 3.0, "d2": 2.0}}})
    orders = orders_of(ds.Preferences.from_rows(ROWS[:2]))
    scores = ds.evaluate(runs, orders, ["Compat(p=0.8)"])["Compat(p=0.8)"].sel(assessor="ann", topic="q")
    assert scores.sel(system="good").item() == pytest.approx(1)
    assert scores.sel(system="bad").item() < 0.5


def test_measures_that_add_gains_are_refused() -> None:
    check_order_measures([ds.measure("Compat"), ds.measure("Compat(judged_only=True)")])
    with refused(MeasureError, "nDCG@10"):
        check_order_measures([ds.measure("Compat"), ds.measure("nDCG@10")])
