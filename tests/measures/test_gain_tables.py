"""Gains by grade number or name, hashable and checked."""

from __future__ import annotations

import pytest

from dissensus.data.tables.scale import Scale
from dissensus.errors import MeasureError
from dissensus.measures.gain_tables import freeze_gains, gain_table


def test_numbers_and_their_texts_are_one_grade() -> None:
    assert freeze_gains({"2": 5, 0: 0, 1: 1}) == ((0, 0.0), (1, 1.0), (2, 5.0))
    assert freeze_gains(None) is None


@pytest.mark.parametrize("wrong", [{0: float("nan")}, {0: True}, {0: "much"}, 3])
def test_gains_must_be_finite_numbers(wrong: object) -> None:
    with pytest.raises(MeasureError):
        freeze_gains(wrong)  # type: ignore[arg-type]


def test_every_grade_needs_a_gain() -> None:
    scale = Scale(("bad", "fair", "good"))
    assert gain_table((("bad", 0.0), ("fair", 0.3), ("good", 1.0)), scale, "nDCG").tolist() == [0.0, 0.3, 1.0]
    with pytest.raises(MeasureError, match="no gain for the grade good"):
        gain_table((("bad", 0.0), ("fair", 0.3)), scale, "nDCG")
