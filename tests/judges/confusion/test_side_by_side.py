"""Two tables of judgments laid side by side."""

from __future__ import annotations

import numpy as np
from refusals import refused

from dissensus.data.tables.judgments import Judgments
from dissensus.data.tables.scale import Scale
from dissensus.errors import InputError, ScaleError
from dissensus.judges.confusion.api import confusion
from dissensus.judges.confusion.side_by_side import beside, common_scale, with_gold


def test_two_judges_side_by_side() -> None:
    a = Judgments.from_dict({"nist": {1: {"x": 1, "y": 0}}})
    b = Judgments.from_dict({"llm": {1: {"y": 2}}})
    both = beside(a, b)
    assert both.assessors == ("observed", "reference")
    assert both.scale.top == 2
    assert common_scale(Scale.range(0, 3), Scale.range(0, 1, declared=False)) == Scale.range(0, 3)
    with refused(ScaleError, "0…1", "0…3", by="side_by_side"):
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
    with refused(InputError, 2, by="side_by_side.with_gold"):
        with_gold(truth, crowd)


def test_two_scales_are_an_error() -> None:
    a = Judgments.from_dict({"gold": {1: {"a": 1}}}, scale=Scale.range(0, 3))
    b = Judgments.from_dict({"bronze": {1: {"a": 1}}}, scale=Scale.range(0, 1))
    with refused(ScaleError, "0…3", "0…1", by="side_by_side"):
        confusion(reference=a, observed=b)
