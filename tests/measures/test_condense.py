"""Condensed rankings: each assessor's unjudged documents leave its own rankings."""

from __future__ import annotations

import pytest

import dissensus as ds


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
