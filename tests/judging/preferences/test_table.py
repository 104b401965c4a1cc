"""The table of preferences: one order per pair, answers and places that follow."""

from __future__ import annotations

import pytest
from preference_rows import ROWS
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError


def test_a_pair_has_one_order_and_its_answer_and_presentation_follow() -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    assert prefs.to_frame().rows() == [
        ("q", "d1", "d2", "ann", "a", "ab"),
        ("q", "d1", "d2", "bob", "b", "ba"),
        ("q", "d1", "d3", "ann", "same", "ba"),
        ("r", "d4", "d9", "ann", "a", ""),
    ]


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (("q", "a", "a", "ann", "a"), "a"),
        (("q", "a", "b", "ann", "c"), "c a b"),
        (("q", "a", "b", "ann", "a", "up"), "up ab ba"),
        (("", "a", "b", "ann", "a"), "topic"),
    ],
)
def test_wrong_rows_are_named(row: tuple, values: str) -> None:
    with refused(InputError, "row 1", *values.split()):
        ds.Preferences.from_rows([row])
