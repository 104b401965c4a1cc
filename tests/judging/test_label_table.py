"""Labels: levels, grades below zero, repeats; and two judges laid side by side."""

from __future__ import annotations

import numpy as np
import polars as pl
from refusals import refused

from dissensus.errors import InputError, ScaleError
from dissensus.judging.confusion.counting import confusion
from dissensus.judging.label_table import beside, common_scale, labels, with_gold
from dissensus.tables.judgments import Judgments
from dissensus.tables.scale import Scale


def test_levels_count_from_the_bottom_of_the_scale() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 1, "y": 4}}}, scale=Scale.range(1, 4))
    table = labels(j)
    assert table.level.tolist() == [0, 3]
    assert table.grades.tolist() == [1, 2, 3, 4]
    assert table.item_bounds().tolist() == [0, 1, 2]


def test_counts_of_labels_by_hand() -> None:
    frame = pl.DataFrame({"topic": [1] * 5, "doc": list("xxxyz"), "assessor": list("aabab"), "grade": [1, 0, 2, 2, 0]})
    table = labels(Judgments.from_frame(frame, scale="0..2", repeated="keep"))
    assert table.per_item().tolist() == [3, 1, 1]
    assert table.counts().tolist() == [[1, 1, 1], [0, 0, 1], [1, 0, 0]]
    assert [table.by(a).tolist() for a in (0, 1)] == [[1, 2, -1], [2, -1, 0]]  # the first one speaks
    sure = np.eye(3)[[2, 2, 0]]  # x and y are of grade 2, z of grade 0
    assert table.expected(sure)[:, 2].tolist() == [[1, 1, 1], [0, 0, 1]]
    assert table.expected(sure)[1, 0].tolist() == [1, 0, 0]


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


def test_two_judges_side_by_side() -> None:
    a = Judgments.from_dict({"nist": {1: {"x": 1, "y": 0}}})
    b = Judgments.from_dict({"llm": {1: {"y": 2}}})
    both = beside(a, b)
    assert both.assessors == ("observed", "reference")
    assert both.scale.top == 2
    assert common_scale(Scale.range(0, 3), Scale.range(0, 1, declared=False)) == Scale.range(0, 3)
    with refused(ScaleError, "0…1", "0…3"):
        common_scale(Scale.range(0, 1), Scale.range(0, 3, declared=False))


def test_gold_joins_under_a_name_of_its_own() -> None:
    crowd = Judgments.from_dict({"gold": {1: {"x": 1}}, "b": {1: {"x": 0}}})
    truth = Judgments.from_dict({"gold": {1: {"x": 1, "new": 0}}})
    both, name = with_gold(crowd, truth)
    assert name == "gold (gold)"
    assert set(both.assessors) == {"b", "gold", "gold (gold)"}
    assert both.n_items == 2
    assert with_gold(crowd, "b")[1] == "b"
    assert np.array_equal(with_gold(crowd, "b")[0].grade, crowd.grade)
    with refused(InputError, 2):
        with_gold(truth, crowd)


def test_two_scales_are_an_error() -> None:
    a = Judgments.from_dict({"gold": {1: {"a": 1}}}, scale=Scale.range(0, 3))
    b = Judgments.from_dict({"bronze": {1: {"a": 1}}}, scale=Scale.range(0, 1))
    with refused(ScaleError, "0…3", "0…1"):
        confusion(reference=a, observed=b)


def test_shares_count_first_judgments() -> None:
    j = Judgments.from_dict({"a": {1: {"x": 2}}, "b": {1: {"x": 0}}, "c": {1: {"x": 2, "y": 1}}})
    assert labels(j).first().shares().tolist() == [[1 / 3, 0, 2 / 3], [0, 1, 0]]
