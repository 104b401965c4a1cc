"""From labels to grades."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused
from small_files import file
from wording import phrase

import dissensus as ds
from dissensus.cli import main
from dissensus.errors import JudgmentError, ScaleError
from dissensus.tables.grades import distinct


def test_grades_of_every_kind():
    def grades(values, scale=None):
        n = len(values)
        columns = {"topic": [1] * n, "doc": list(range(n)), "assessor": ["a"] * n, "grade": values}
        return ds.Judgments.from_frame(columns, scale=scale)

    assert grades([0, 1.0, 2]).grade.tolist() == [0, 1, 2]
    assert grades([True, False]).grade.tolist() == [1, 0]
    assert grades(["+1", " 0 ", "2.0"]).grade.tolist() == [1, 0, 2]
    assert grades(["b", "a"]).scale == ds.Scale(("a", "b"), ordered=False)
    assert grades([1, 1]).scale == ds.Scale.range(0, 1)
    assert grades(["HRel", "0"], "Non,Rel,HRel").grade.tolist() == [2, 0]
    for grade, error, named in [
        ([0, None], JudgmentError, (2,)),
        ([0.0, float("nan")], JudgmentError, (2,)),
        ([0.0, 0.5], JudgmentError, (2, "0.5")),
        (["0", "x"], ScaleError, (2, "x")),
        ([0, 200], ScaleError, (2, 200, 126)),
        ([0, -200], ScaleError, (2, "-200")),
        ([f"n{i}" for i in range(200)], JudgmentError, (200,)),
    ]:
        with refused(error, *named):
            grades(grade)


def test_labels_mapped_to_grades():
    rows = {"topic": [1, 1], "doc": ["d", "e"], "assessor": ["a", "b"], "grade": ["poor", "fine"]}
    mapped = ds.Judgments.from_frame(rows, scale={"poor": 0, "fine": 2})
    assert mapped.grade.tolist() == [0, 2]
    assert mapped.scale == ds.Scale.range(0, 2)
    for scale, values in [
        ({}, ("scale=",)),
        ({"poor": 0}, (2, "fine", "scale=", "poor")),
        ({"poor": 0, "fine": 300}, ("fine", 300)),
        ({"a": {"poor": "x"}, "b": "0..1"}, ("a", "poor", "x")),
    ]:
        with refused(ScaleError, *values):
            ds.Judgments.from_frame(rows, scale=scale)


class TestLabels:
    def test_names_without_an_order_are_neither_scored_nor_written(self, tmp_path, capsys):
        path = file(tmp_path, "l.csv", "topic,doc,assessor,grade\n1,d,ann,relevant\n1,e,ann,not_relevant\n")
        run = ds.Runs.from_dict({"a": {1: {"d": 2.0, "e": 1.0}}})
        with refused(ds.DissensusError, "not_relevant"):
            ds.evaluate(run, ds.read_judgments(path), ["AP"])
        out = tmp_path / "merged.qrels"
        assert main(["merge", str(path), "-o", str(out)]) == 2
        assert "--scale" in capsys.readouterr().err
        assert not out.exists()
        assert main(["merge", str(path), "--scale", "not_relevant,relevant", "-o", str(out)]) == 0
        assert out.read_text() == "1 0 d 1\n1 0 e 0\n"

    def test_na_is_missing_and_no_grade(self, tmp_path):
        path = file(tmp_path, "l.csv", "topic,doc,assessor,grade\n1,d,ann,good\n1,e,ann,NA\n1,f,ann,\n")
        with refused(JudgmentError, "l.csv:3", "NA", 2):
            ds.read_judgments(path)
        read = ds.read_judgments(path, missing="skip")
        assert len(read) == 1
        assert phrase("grades.rows-without-grade-left", 2) in read.notes
        named = ds.read_judgments(path, missing="skip", scale="NA,good")
        assert len(named) == 1  # skipped before the scale is looked at


@pytest.mark.parametrize(
    "labels",
    [[3, -1, 3, 0], [5], [2**62 + 1, 2**62], [-(2**63), -(2**63) + 1], [0, 5000, 0], ["b", "a", "b"], [1.5, 0.0, 1.5]],
)
def test_distinct_labels_and_their_places(labels):
    values, place = distinct(pl.Series(labels))
    assert sorted(values) == sorted(set(labels))
    assert [values[p] for p in place] == labels
