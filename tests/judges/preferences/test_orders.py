"""Preferences as orders: each assessor's own, and only for measures that go by order."""

from __future__ import annotations

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.judges.preferences.orders import check_order_measures, orders_of

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
