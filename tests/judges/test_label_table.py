"""Labels: levels, grades below zero, repeats; and two judges laid side by side."""

from __future__ import annotations

import polars as pl
from refusals import refused

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import InputError
from dissensus.judges.label_table import labels


def test_levels_count_from_the_bottom_of_the_scale() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 1, "y": 4}}}, scale=Scale.range(1, 4))
    table = labels(j)
    assert table.level.tolist() == [0, 3]
    assert table.grades.tolist() == [1, 2, 3, 4]
    assert table.item_bounds().tolist() == [0, 1, 2]


def test_grades_below_zero() -> None:
    j = Judgments.from_dict({"a": {1: {"x": -2, "y": 1, "z": -1}}})
    assert labels(j).n_dropped == 2
    table = labels(j, "label")
    assert table.scale.names == ("-2", "-1", "0", "1")
    assert table.grades[table.level].tolist() == [-2, 1, -1]
    assert not table.scale.ordered
    with refused(InputError, 'negative="keep"'):
        labels(j, "keep")  # type: ignore[arg-type]


def test_only_the_first_of_repeated_judgments_speaks() -> None:
    frame = pl.DataFrame({"topic": [1, 1, 1], "doc": ["x", "x", "y"], "assessor": ["a"] * 3, "grade": [1, 0, 1]})
    table = labels(Judgments.from_frame(frame, repeated="keep"))
    assert len(table) == 3
    assert table.first().level.tolist() == [1, 1]
