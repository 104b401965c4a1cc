"""Runs: rank order, choosing, and what is shared."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError, RunError
from dissensus.tables.runs import finite_scores, run_codes


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


def place(row: int) -> str:
    return f"row {row + 1}"


def test_rank_order_is_score_then_id_descending() -> None:
    codes = run_codes(["s"] * 4, [1, 1, 1, 2], ["a", "c", "b", "a"], [1, 2, 2, 0], place=place, systems=["idle", "s"])
    assert codes["ids"].strings() == ["c", "b", "a", "a"]
    assert codes["bounds"].tolist() == [0, 3, 4]
    assert codes["systems"] == ("idle", "s")
    assert codes["segment_system"].tolist() == [1, 1]


def test_scores_as_doubles_and_one_zero() -> None:
    assert finite_scores([1, 2.5, -0.0], place).tolist() == [1, 2.5, 0]
    assert not np.signbit(finite_scores(["-0"], place))[0]
    assert finite_scores(["1e-3", " +2 "], place).tolist() == [0.001, 2]


@pytest.mark.parametrize("wrong", [float("inf"), None, "1_0", "0x1", "", True, 10**400])
def test_scores_that_are_not_numbers_are_named_by_row(wrong: object) -> None:
    with refused(RunError, 2):
        finite_scores([1, wrong, "x"] if isinstance(wrong, str | bool) else [1, wrong], place)


def test_a_document_twice_in_one_ranking() -> None:
    with refused(RunError, 1, 3):
        run_codes(["s"] * 3, [1, 1, 1], ["a", "b", "a"], [1, 2, 3], place=place)
