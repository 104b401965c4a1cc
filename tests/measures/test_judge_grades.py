"""Assessors who never give a grade that a measure needs are named, or stop the evaluation."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import DataWarning, MeasureError
from dissensus.measures.judge_grades import check_grades_used


def labels(**highest: int) -> ds.Judgments:
    content = {who: {"q": {f"d{i}": min(i, top) for i in range(12)}} for who, top in highest.items()}
    return ds.Judgments.from_dict(content, scale="0..3")


def test_all_assessors_too_coarse_is_an_error() -> None:
    with pytest.raises(MeasureError, match="never gives grade 2"):
        check_grades_used(labels(binary=1), [ds.measure("P(rel=2)@5")])


def test_some_are_warned_of() -> None:
    with pytest.warns(DataWarning, match="binary never gives grade 2"):
        check_grades_used(labels(binary=1, graded=3), [ds.measure("P(rel=2)@5")])


def test_grades_that_are_used_are_fine() -> None:
    check_grades_used(labels(graded=3), [ds.measure("P(rel=2)@5"), ds.measure("AP")])
