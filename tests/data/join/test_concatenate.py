"""Rankings of several files as one Runs."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.data.join.concatenate import Piece, copy_stretches, copy_stretches_in_numpy
from dissensus.data.tables.runs import Runs
from dissensus.errors import InputError, RunError

ONE = {"b": {10: {"x": 2.0, "y": 1.0}}, "a": {9: {"é": 1.0}}}
TWO = {"a": {10: {"x": 3.0}}, "c": {2: {"w": 1.0, "v": 5.0}}}


def test_pieces_become_the_runs_of_all_of_them() -> None:
    together = Runs.from_dict({"a": {**ONE["a"], **TWO["a"]}, "b": ONE["b"], "c": TWO["c"]})
    for order in ((ONE, TWO), (TWO, ONE)):
        joined = Runs.from_pieces([Piece.of(Runs.from_dict(part), f"{i}.run") for i, part in enumerate(order)])
        assert (joined.systems, joined.topics) == (("a", "b", "c"), ("2", "9", "10"))
        assert joined.to_frame().equals(together.to_frame())
        assert joined.select(systems=["c", "a"], topics=["10"]).to_frame().rows() == [("a", "10", "x", 3.0)]


def test_a_ranking_in_two_pieces_is_refused_by_both_names() -> None:
    pieces = [Piece.of(Runs.from_dict({"a": {1: {"x": 1.0}}}), name) for name in ("one.run", "two.run")]
    with refused(RunError, "one.run", "two.run", 1):
        Runs.from_pieces(pieces)
    with refused(InputError, "z"):
        Runs.from_dict(ONE).select(systems=["z"])


@pytest.mark.parametrize("copy", [copy_stretches.python, copy_stretches_in_numpy, copy_stretches.fast])
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
