"""Gains per grade: sorted, hashable, complete."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.data.tables.scale import Scale
from dissensus.errors import MeasureError
from dissensus.measures.gain_tables import freeze_gains, gain_table


def test_numbers_and_names_become_one_sorted_tuple() -> None:
    assert freeze_gains({"2": 1, 0: 0, np.int64(1): 0.5, "Key": 2}) == ((0, 0.0), (1, 0.5), (2, 1.0), ("Key", 2.0))
    assert freeze_gains(None) is None
    assert freeze_gains(freeze_gains({1: 1, 0: 0})) == ((0, 0.0), (1, 1.0))


def test_gains_in_the_order_of_the_scale() -> None:
    scale = Scale(("Non", "Rel", "Key"))
    assert gain_table(freeze_gains({"Key": 3, "Non": 0, 1: 0.5, -1: 9}), scale, "nDCG").tolist() == [0, 0.5, 3]
    with refused(MeasureError, "nDCG", "Key", by="gain_tables"):
        gain_table(freeze_gains({0: 0, 1: 1}), scale, "nDCG")


@pytest.mark.parametrize("gains", [{0: float("nan")}, {0: True}, {0: "1"}, 5])
def test_what_is_not_a_table_of_gains(gains: object) -> None:
    with pytest.raises(MeasureError):
        freeze_gains(gains)


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
    with refused(MeasureError, "nDCG", "bad", by="gain_tables"):
        gain_table((("bad", 0.0), ("fair", 0.3)), scale, "nDCG")
