"""Grades per topic, from lists, mappings and judgments."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import ConfusionError, InputError
from dissensus.inference.ceiling.counts import grade_counts

THREE = ds.Confusion(np.eye(3))
BOTH = ds.Judgments.from_dict(
    {"ann": {"1": {"a": 2, "b": 0, "c": -1}, "2": {"x": 1}}, "ben": {"2": {"x": 0, "y": 0}}}, scale="0..2"
)


def test_lists_are_counted_by_topic_and_grades_below_zero_left_out():
    who, topics, counts, scale, notes = grade_counts({"q": [2, 0, 0, -1], "r": [1, -2]}, THREE)
    assert (who, topics, len(scale)) == (("", ""), ("q", "r"), 3)
    assert counts.tolist() == [[2, 0, 1], [0, 1, 0]]
    assert notes[0].startswith(phrase("ceiling-counts.grades-below-zero", 2))


def test_judgments_are_counted_by_assessor_and_topic():
    who, topics, counts, _, notes = grade_counts(BOTH, THREE)
    assert list(zip(who, topics, strict=True)) == [("ann", "1"), ("ann", "2"), ("ben", "2")]
    assert counts.tolist() == [[1, 0, 1], [0, 1, 0], [2, 0, 0]]
    assert notes[0].startswith(phrase("ceiling.grade-below-zero", 1))
    assert grade_counts(BOTH, THREE, "ben")[2].tolist() == [[2, 0, 0]]


def test_grades_read_off_the_data_fit_a_larger_matrix_but_declared_ones_do_not():
    seen = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "b": 0}}})
    assert grade_counts(seen, THREE)[2].tolist() == [[1, 1, 0]]
    declared = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "b": 0}}}, scale="0..1")
    with refused(ConfusionError, "0…2", "0…1"):
        grade_counts(declared, THREE)


@pytest.mark.parametrize(
    ("grades", "error"),
    [([0, 3], ConfusionError), ([0.5, 1.0], InputError), ([[1, 0]], InputError), ([], InputError), ([-1], InputError)],
)
def test_what_cannot_be_counted_is_refused(grades, error):
    with pytest.raises(error):
        grade_counts(grades, THREE)
