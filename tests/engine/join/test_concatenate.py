"""Rankings of several files as one Runs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused

from dissensus.engine.join.concatenate import copy_stretches, pieces_of, rankings
from dissensus.errors import InputError, RunError
from dissensus.tables.runs import Runs

ONE = {"b": {10: {"x": 2.0, "y": 1.0}}, "a": {9: {"é": 1.0}}}
TWO = {"a": {10: {"x": 3.0}}, "c": {2: {"w": 1.0, "v": 5.0}}}


def test_pieces_become_the_runs_of_all_of_them() -> None:
    together = Runs.from_dict({"a": {**ONE["a"], **TWO["a"]}, "b": ONE["b"], "c": TWO["c"]})
    for order in ((ONE, TWO), (TWO, ONE)):
        joined = Runs.from_pieces([pieces_of(Runs.from_dict(part), f"{i}.run")[0] for i, part in enumerate(order)])
        assert (joined.systems, joined.topics) == (("a", "b", "c"), ("2", "9", "10"))
        assert joined.to_frame().equals(together.to_frame())
        assert joined.select(systems=["c", "a"], topics=["10"]).to_frame().rows() == [("a", "10", "x", 3.0)]


def test_a_ranking_in_two_pieces_is_refused_by_both_names() -> None:
    pieces = [pieces_of(Runs.from_dict({"a": {1: {"x": 1.0}}}), name)[0] for name in ("one.run", "two.run")]
    with refused(RunError, "one.run", "two.run", 1):
        Runs.from_pieces(pieces)
    with refused(InputError, "z"):
        Runs.from_dict(ONE).select(systems=["z"])


@pytest.mark.parametrize("copy", [copy_stretches.python, copy_stretches.fast])
@pytest.mark.parametrize("dtype", [np.float64, np.uint16])
def test_every_stretch_arrives_at_its_place(copy, dtype) -> None:
    column = np.arange(100).astype(dtype)
    first, target, count = np.array([50, 3, 0, 99]), np.array([0, 13, 20, 30]), np.array([10, 4, 0, 1])
    out = np.full(40, 7, dtype)
    expected = out.copy()
    for a, b, n in zip(first, target, count, strict=True):
        expected[b : b + n] = column[a : a + n]
    copy(column, first, target, count, out)
    assert np.array_equal(out, expected)


NO_TEXT = np.empty(0, np.uint8)


def stretches(names: list[str]) -> tuple[list[str], np.ndarray]:
    """(the names wherever they change, the rows at which they do)."""
    groups = [(name, len(list(own))) for name, own in itertools.groupby(names)]
    return [name for name, _ in groups], np.cumsum([0, *(n for _, n in groups[:-1])])


def test_rows_of_one_ranking_come_together_in_their_order() -> None:
    rng = np.random.default_rng(0)
    for spread in (1, 5, 40):
        systems = sorted(rng.choice(["b", "a"], 40).tolist()) if spread == 40 else rng.choice(["b", "a"], 40).tolist()
        topics = np.repeat(rng.choice(["2", "1", "3"], 40 // spread + 1), spread)[:40].tolist()
        found, origin = rankings({"row": np.arange(40)}, NO_TEXT, *stretches(systems), *stretches(topics))
        expected: dict[tuple[str, str], list[int]] = {}
        for row, key in enumerate(zip(systems, topics, strict=True)):
            expected.setdefault(key, []).append(row)
        got = {
            (found.systems[s], found.topics[t]): found.columns["row"][a:b].tolist()
            for s, t, a, b in zip(
                found.segment_system, found.segment_topic, found.bounds[:-1], found.bounds[1:], strict=True
            )
        }
        assert got == expected
        if origin is not None:
            assert origin.tolist() == found.columns["row"].tolist()


def test_rows_already_together_are_not_moved() -> None:
    column = np.arange(5)
    found, origin = rankings({"row": column}, NO_TEXT, ["s"], np.array([0]), ["1", "2"], np.array([0, 3]))
    assert origin is None
    assert found.columns["row"] is column
    assert found.bounds.tolist() == [0, 3, 5]
