"""Judges who give scores instead of grades."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from refusals import refused
from small_files import file

import dissensus as ds
from dissensus.errors import JudgmentError, MeasureError
from dissensus.tables.judge_scores import are_scores, binned, cut, scores_of


class TestScores:
    def test_fractions_are_scores_kept_in_bins(self):
        values = np.linspace(0, 1, 50)
        judged = ds.Judgments.from_dict({"llm": {1: {f"d{i:02d}": float(v) for i, v in enumerate(values)}}})
        assert judged.scale.binned
        assert np.bincount(judged.grade).tolist() == [5] * 10
        assert judged.value is not None
        np.testing.assert_array_equal(judged.value, values)
        assert judged.gains()[0] == pytest.approx(values[:5].mean())
        run = ds.Runs.from_dict({"a": {1: {"d49": 1.0}}})
        with refused(MeasureError, options=["threshold"]):
            ds.evaluate(run, judged, ["P@1"])

    def test_a_threshold_makes_grades(self, tmp_path):
        path = file(tmp_path, "l.csv", "topic,doc,grade\n1,a,0.2\n1,b,0.5\n1,c,0.9\n")
        with refused(JudgmentError, "l.csv:2"):
            ds.read_judgments(path)  # three fractions may be slips
        assert ds.read_judgments(path, threshold=0.5).grade.tolist() == [0, 1, 1]
        assert ds.read_judgments(path, threshold=(0.3, 0.8)).grade.tolist() == [0, 1, 2]


def test_equal_scores_share_a_bin_and_every_judge_has_bins() -> None:
    values = np.r_[np.repeat(0.5, 10), np.linspace(0, 1, 20)]
    judge = np.repeat([0, 1], [10, 20])
    grades, scale = binned(values, judge)
    assert scale.binned
    assert set(grades[:10].tolist()) == {5}
    assert np.bincount(grades[10:]).tolist() == [2] * 10
    assert (np.diff(grades[10:]) >= 0).all()


def test_a_threshold_is_reached_at_its_value() -> None:
    assert cut([0.29, 0.3, 0.8, 1.0], (0.8, 0.3))[0].tolist() == [0, 1, 2, 2]


def test_scores_are_told_from_grades_with_a_slip() -> None:
    assert not are_scores(np.array([0, 1, 2, 0.5]))
    assert are_scores(np.linspace(0.01, 0.99, 12))
    assert scores_of(pl.Series(["1", "x"])) is None
    assert scores_of(pl.Series([True, False])) is None
    assert scores_of(pl.Series(["1e-3", " 2 "])).tolist() == [0.001, 2.0]
