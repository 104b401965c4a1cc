"""The kernels' way gives what the careful way gives, and leaves to it whatever it would refuse."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import dissensus.data.tables.judgment_columns as module
from dissensus.data.tables.judgment_table import judgment_codes
from dissensus.data.tables.scale import Scale


def place(row: int) -> str:
    return f"row {row + 1}"


def columns(seed: int, number_ids: bool, sorted_topics: bool) -> list[pl.Series]:
    rng = np.random.default_rng(seed)
    n = 3000
    topic = rng.integers(1, 30, n)
    doc = rng.integers(0, 200, n)
    frame = pl.DataFrame(
        {
            "topic": topic,
            "doc": doc if number_ids else [f"D-é{d}" for d in doc],
            "assessor": [f"a{k}" for k in rng.integers(0, 12, n)],
            "grade": rng.integers(-1, 4, n),
        }
    )
    return (frame.sort("topic") if sorted_topics else frame).get_columns()


@pytest.mark.parametrize("number_ids", [True, False])
@pytest.mark.parametrize("sorted_topics", [True, False])
@pytest.mark.parametrize("scale", [None, Scale.range(0, 5)])
def test_both_ways_are_one(monkeypatch: pytest.MonkeyPatch, number_ids: bool, sorted_topics: bool, scale) -> None:
    monkeypatch.setattr(module, "LARGE", 1)
    given = columns(int(number_ids), number_ids, sorted_topics)
    quick = module.judgment_fields(*given, scale=scale, place=place)
    assert quick is not None
    careful = judgment_codes(*given, scale=scale, place=place)
    np.testing.assert_array_equal(quick[1], careful[1])
    for name, theirs in careful[0].items():
        ours = quick[0][name]
        if name == "item_ids":
            assert ours.strings(np.arange(len(ours))) == theirs.strings(np.arange(len(theirs)))
            np.testing.assert_array_equal(ours.keys, theirs.keys)
        elif isinstance(theirs, np.ndarray):
            np.testing.assert_array_equal(ours, theirs, err_msg=name)
            assert ours.dtype == theirs.dtype, name
        else:
            assert ours == theirs, name


@pytest.mark.parametrize(
    ("column", "value"), [(0, None), (1, " b"), (1, ""), (1, "a\tb"), (2, None), (2, " x"), (3, None)]
)
def test_what_the_careful_way_refuses_is_left_to_it(monkeypatch: pytest.MonkeyPatch, column: int, value) -> None:
    monkeypatch.setattr(module, "LARGE", 1)
    given = [pl.Series(["1", "1"]), pl.Series(["a", "b"]), pl.Series(["x", "x"]), pl.Series([0, 1])]
    given[column] = pl.Series([value, given[column][1]], dtype=given[column].dtype)
    assert module.judgment_fields(*given, scale=None, place=place) is None


def test_fractions_and_words_are_left_to_the_careful_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGE", 1)
    given = [pl.Series(["1", "1"]), pl.Series(["a", "b"]), pl.Series(["x", "x"])]
    for grades in ([0.5, 1.0], ["Rel", "Non"]):
        assert module.judgment_fields(*given, pl.Series(grades), scale=None, place=place) is None
