"""Runs beside their ceiling."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.ceiling.shares import ceiling_shares

J = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "b": 0, "c": 0}, "2": {"x": 0, "y": 0}}})
RUNS = ds.Runs.from_dict(
    {"good": {"1": {"new": 9, "a": 3, "b": 2, "c": 1}}, "bad": {"1": {"b": 3, "c": 2, "a": 1}}, "none": {"2": {"x": 1}}}
)


def test_runs_are_condensed_and_undefined_topics_left_out():
    limit = ds.ceiling(J, np.full((2, 2), 0.5), "nDCG")
    frame = ceiling_shares(RUNS, J, limit)
    assert frame["system"].to_list() == ["good", "bad", "none"]
    by_system = {row["system"]: row for row in frame.to_dicts()}
    random = (1 + 1 / np.log2(3) + 0.5) / 3
    assert by_system["good"]["score"] == 1  # the unjudged document above is taken out
    assert by_system["good"]["share"] == pytest.approx(1 / random)  # above 1: it knows this very judge
    assert by_system["bad"]["share"] == pytest.approx(0.5 / random)
    assert by_system["none"]["score"] == 0
    assert frame["topics"].to_list() == [1, 1, 1]  # topic 2 has nothing relevant


def test_each_assessor_has_their_own_ceiling():
    two = ds.Judgments.from_dict(
        {"ann": {"1": {"a": 1, "b": 0}, "2": {"x": 0}}, "bob": {"1": {"a": 0, "b": 1}, "2": {"x": 1}}}
    )
    frame = ceiling_shares(RUNS, two, ds.ceiling(two, None, "P@1"))
    shares = {(r["assessor"], r["system"]): r["score"] for r in frame.to_dicts()}
    assert shares["ann", "good"] == 0.5
    assert shares["bob", "good"] == 0
    only = ceiling_shares(RUNS, two, ds.ceiling(two, None, "P@1", assessor="bob"))
    assert only["assessor"].unique().to_list() == ["bob"]


def test_nothing_to_compare():
    nothing = ds.Judgments.from_dict({"ann": {"1": {"a": 0, "b": 0}, "2": {"x": 0, "y": 0}}}, scale="0..1")
    with refused(InputError, by="shares.ceiling_shares"):
        ceiling_shares(RUNS, nothing, ds.ceiling(nothing, np.eye(2), "nDCG"))
