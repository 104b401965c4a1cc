"""Runs: rank order, choosing, and what is shared."""

from __future__ import annotations

import numpy as np
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError


def test_choosing_systems_and_topics():
    made = {s: {t: {f"{s}{t}{d}": float(d) for d in range(3)} for t in range(4)} for s in "abc"}
    runs = ds.Runs.from_dict(made)
    some = runs.select(systems=["c", "a"], topics=["3", "1"])
    expected = ds.Runs.from_dict({s: {t: made[s][t] for t in (1, 3)} for s in "ac"})
    assert some.to_frame().equals(expected.to_frame())
    assert np.array_equal(some.key, expected.key)
    assert runs.select(topics=[]).to_frame().height == 0
    with refused(InputError, "z"):
        runs.select(systems=["z"])


def test_ties_go_by_id_descending_in_bytes() -> None:
    runs = ds.Runs.from_dict({"s": {1: {"9": 1.0, "10": 1.0, "é": 1.0, "z": 1.0, "a": 2.0}}})
    assert runs.ranking("s", "1") == ["a", "é", "z", "9", "10"]
    assert repr(runs) == "Runs(1 system, 1 topic, 5 rows)"


def test_a_system_without_a_ranking_stays_known() -> None:
    runs = ds.Runs.from_dict({"a": {"q1": {"x": 1.0}, "q2": {"x": 1.0}}, "b": {"q2": {"x": 1.0}}, "idle": {}})
    assert runs.systems == ("a", "b", "idle")
    assert runs.ranking("b", "q1") == []
    assert runs.shared_topics() == []
    assert runs.select(systems=["a", "b"]).shared_topics() == ["q2"]
