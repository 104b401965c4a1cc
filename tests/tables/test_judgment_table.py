"""Repeated judgments, and the codes that judgments hold."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from small_files import GOOD, GRADES, file, path_through  # noqa: F401 (a fixture for every test)
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError, JudgmentError
from dissensus.tables.judgment_table import repeats_of


def test_two_grades_by_one_assessor(tmp_path):
    path = file(tmp_path, "crowd.qrels", "301 0 x 0\n# c\n301 0 FT-7 0\n301 0 y 0\n301 0 FT-7 2\n")
    with pytest.raises(JudgmentError) as caught:
        ds.read_judgments(path)
    assert str(caught.value).startswith(
        phrase("judgment-table.give-topic-document-assessor", path, 3, path, 5, 301, "FT-7", 0, 2)
    )
    grade = {p: ds.read_judgments(path, repeated=p).to_frame()["grade"].to_list() for p in ("first", "last", "keep")}
    assert grade == {"first": [0, 0, 0], "last": [2, 0, 0], "keep": [0, 2, 0, 0]}
    assert (
        phrase("judgment-table.repeated-judgments-settled-repeated", 1)
        in ds.read_judgments(path, repeated="first").notes
    )
    with refused(InputError, 'repeated="both"'):
        ds.read_judgments(path, repeated="both")


def test_identical_repeats_are_accepted_and_counted(tmp_path):
    judgments = ds.read_judgments(file(tmp_path, "a.qrels", "1 0 d 1\n1 0 d 1\n1 0 e 0\n"))
    assert len(judgments) == 2
    assert judgments.notes == (phrase("judgment-table.identical-repeats-dropped", 1),)


def test_grades_below_zero_are_counted(tmp_path):
    judgments = ds.read_judgments(file(tmp_path, "a.qrels", "1 0 d 1\n1 0 e -2\n"))
    assert judgments.notes == (phrase("judgment-table.grade-below-zero-pool", 1),)
    assert len(judgments.judged()) == 1


def test_repeats_count_from_zero_within_an_item_and_an_assessor() -> None:
    item, who = np.array([0, 0, 0, 0, 1, 1], np.int32), np.array([0, 1, 1, 1, 1, 2], np.int32)
    assert repeats_of(item, who).tolist() == [0, 0, 1, 2, 0, 0]
    assert repeats_of(item[:0], who[:0]).tolist() == []
