"""Columns from frames of every kind, and what is refused in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dissensus as ds
from dissensus.data.tables.columns import column_or_none, find_column
from dissensus.data.tables.ids import IdColumn, natural_order
from dissensus.errors import FileError, InputError, JudgmentError, RunError, ScaleError

ROWS = {"system": ["s", "s", "s"], "topic": [1, 1, 2], "doc": ["a", "b", "a"], "score": [1.0, 2.0, 3.0]}


def frame(**changes):
    return {**ROWS, **changes}


@pytest.mark.parametrize(
    "made",
    [
        pl.DataFrame(ROWS),
        pl.DataFrame(ROWS).lazy(),
        pd.DataFrame(ROWS),
        ROWS,
        pl.DataFrame(ROWS).with_columns(pl.col("topic").cast(pl.UInt8), pl.col("doc").cast(pl.Categorical)),
        pl.DataFrame(ROWS).with_columns(pl.col("score").cast(pl.Decimal(10, 2))),
        pd.DataFrame(ROWS).astype({"doc": "category", "topic": "string"}),
        pd.DataFrame(ROWS).astype({"topic": object, "score": np.float32}),
        pd.DataFrame(ROWS, index=[7, 7, 7])[["score", "doc", "topic", "system"]],
        frame(score=["1", "2.0", "3e0"]),
        frame(topic=["1", 1, np.int64(2)]),
    ],
)
def test_frames_of_every_kind(made):
    runs = ds.Runs.from_frame(made)
    assert runs.to_frame().rows() == [("s", "1", "b", 2.0), ("s", "1", "a", 1.0), ("s", "2", "a", 3.0)]


BAD = [
    (frame(topic=[1, None, 2]), InputError, "the frame, row 2: the topic is missing"),
    (frame(topic=[1.0, 1.0, 2.0]), InputError, "the frame, row 1: the topic 1.0 is of type Float64"),
    (frame(doc=["a", True, "b"]), InputError, "row 2: the doc True is neither a whole number nor a string"),
    (frame(doc=["a", " b", "b"]), InputError, "row 2: the doc ' b' begins or ends with a blank"),
    (frame(doc=["a", "b\n", "b"]), InputError, "row 2: the doc 'b\\n' holds a control character"),
    (frame(doc=["a", "", "b"]), InputError, "row 2: the doc '' is empty"),
    (frame(doc=["a", "\ud800", "b"]), InputError, "row 2: the doc '\\ud800' is no text"),
    (frame(doc=["a", "x" * 70_000, "b"]), InputError, "is longer than 65,535 bytes"),
    (frame(doc=["a", "a", "b"]), RunError, "row 1 and the frame, row 2: system s retrieves document a twice"),
    (frame(score=[1.0, float("nan"), 3.0]), RunError, "row 2: the score nan is not a finite number"),
    (frame(score=[1.0, None, 3.0]), RunError, "row 2: the score None"),
    (frame(score=[1.0, True, 3.0]), RunError, "row 2: the score True"),
    (frame(score=["1", "1_0", "3"]), RunError, "row 2: the score '1_0'"),
    (frame(score=[True, False, True]), RunError, "row 1: the score True"),
    (frame(score=[1, 10**400, 3]), RunError, "row 2: the score 1000"),
]


@pytest.mark.parametrize(("columns", "error", "words"), BAD)
def test_what_is_refused(columns, error, words):
    with pytest.raises(error) as caught:
        ds.Runs.from_frame(columns)
    assert words in str(caught.value)


def test_pandas_missing_values_are_missing():
    with pytest.raises(InputError, match="row 2: the doc is missing"):
        ds.Runs.from_frame(pd.DataFrame(frame(doc=["a", np.nan, "b"])))
    with pytest.raises(InputError, match="two columns called 'doc'"):
        ds.Runs.from_frame(pd.DataFrame([[1, 2, 3, 4]], columns=["topic", "doc", "doc", "score"]), system="s")
    with pytest.raises(InputError, match="expected a Polars or pandas frame, not int"):
        ds.Runs.from_frame(3)


def test_columns_by_role():
    assert find_column(["Query ID", "DocNo"], "topic", "x") == "Query ID"
    assert find_column(["doc", "url"], "doc", "x") == "doc"  # the plain name wins
    assert column_or_none(["a", "b"], "assessor", "x") is None
    with pytest.raises(FileError, match=r"x has no column 'score'; its columns are 'a'"):
        find_column(["a"], "score", "x")
    with pytest.raises(FileError, match="x has several columns that could be the doc: 'docid', 'pid'"):
        find_column(["docid", "pid"], "doc", "x")


def test_names_of_ids_win_over_names_of_texts():
    terrier = ["qid", "docid", "docno", "score", "rank", "query"]
    assert [find_column(terrier, role, "x") for role in ("topic", "doc")] == ["qid", "docno"]
    assert find_column(["query", "query_id", "passage", "passage_id"], "topic", "x") == "query_id"
    assert find_column(["query", "query_id", "passage", "passage_id"], "doc", "x") == "passage_id"
    assert find_column(["HITId", "WorkerId", "Input.docno", "Answer.label"], "doc", "x") == "Input.docno"


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
    for values, error, words in [
        ([0, None], JudgmentError, "row 2: the grade is missing"),
        ([0.0, float("nan")], JudgmentError, "row 2: the grade is missing"),
        ([0.0, 0.5], JudgmentError, "row 2: the grade 0.5 is neither a whole number nor a name"),
        (["0", "x"], ScaleError, "row 2: the grade 'x' is not a whole number, although other grades are"),
        ([0, 200], ScaleError, "row 2: the grade 200 is above the highest possible grade, 126"),
        ([0, -200], ScaleError, "row 2: the grade -200 is not a grade"),
        ([f"n{i}" for i in range(200)], JudgmentError, "one of 200 different labels"),
    ]:
        with pytest.raises(error, match=words.replace("…", ".")):
            grades(values)


def test_labels_mapped_to_grades():
    rows = {"topic": [1, 1], "doc": ["d", "e"], "assessor": ["a", "b"], "grade": ["poor", "fine"]}
    mapped = ds.Judgments.from_frame(rows, scale={"poor": 0, "fine": 2})
    assert mapped.grade.tolist() == [0, 2]
    assert mapped.scale == ds.Scale.range(0, 2)
    for scale, words in [
        ({}, "scale={} maps nothing"),
        ({"poor": 0}, "the frame, row 2: the grade 'fine' is not among those that scale= maps: poor"),
        ({"poor": 0, "fine": 300}, "scale maps the label 'fine' to 300"),
        ({"a": {"poor": "x"}, "b": "0..1"}, r"scale\['a'\] maps the label 'poor' to 'x'"),
    ]:
        with pytest.raises(ScaleError, match=words):
            ds.Judgments.from_frame(rows, scale=scale)


def test_ids_in_several_buffers():
    one, two = IdColumn.from_strings(["a", "bé"]), IdColumn.from_strings(["ccc", "", "e"])
    both = IdColumn(
        (one.buffers[0], two.buffers[0]),
        np.array([0, 2, 5]),
        np.r_[one.start, two.start],
        np.r_[one.length, two.length],
    )
    names = ["a", "bé", "ccc", "", "e"]
    assert both.strings() == names
    assert both.packed().strings() == names
    for rows in ([], [1, 2], [4, 0, 2], [3, 3]):
        assert both.strings(np.array(rows, int)) == [names[r] for r in rows]
        assert both.pick(np.array(rows, int)).strings() == [names[r] for r in rows]
    with pytest.raises(InputError, match="ids have at most 65,535"):
        IdColumn.from_strings(["x" * 70_000])


def test_natural_order():
    names = ["10", "9", "b", "a10", "a9", "007", "7", "é", "1" * 30]
    assert [names[i] for i in natural_order(names)] == ["007", "7", "9", "10", "1" * 30, "a10", "a9", "b", "é"]


def test_choosing_systems_and_topics():
    made = {s: {t: {f"{s}{t}{d}": float(d) for d in range(3)} for t in range(4)} for s in "abc"}
    runs = ds.Runs.from_dict(made)
    some = runs.select(systems=["c", "a"], topics=["3", "1"])
    expected = ds.Runs.from_dict({s: {t: made[s][t] for t in (1, 3)} for s in "ac"})
    assert some.to_frame().equals(expected.to_frame())
    assert np.array_equal(some.key, expected.key)
    assert runs.select(topics=[]).to_frame().height == 0
    with pytest.raises(InputError, match=r"no system is called 'z'; there are a, b, c"):
        runs.select(systems=["z"])


def test_dicts_of_another_depth_are_refused_in_words():
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 0.5}}  # as other tools have them
    with pytest.raises(InputError, match=r"(?s)'q1' → 'd1' holds 1\..*say whose it is: \{name: \{topic: \{doc: grade"):
        ds.Judgments.from_dict(qrels)
    with pytest.raises(
        InputError, match=r"(?s)'q1' → 'd1' holds 0\.5\..*say whose it is: \{name: \{topic: \{doc: score"
    ):
        ds.Runs.from_dict(run)
    with pytest.raises(InputError, match=r"'bm25' → 'q1' holds \['d1', 'd2'\]"):
        ds.Runs.from_dict({"bm25": {"q1": ["d1", "d2"]}})
    with pytest.raises(InputError, match="what was given holds None"):
        ds.Runs.from_dict(None)


def test_an_assessor_without_labels_is_not_lost_in_silence():
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}, "bob": {1: {}}, "cyd": {}})
    assert judgments.assessors == ("ann",)
    assert judgments.notes == ("left out because without labels: bob, cyd",)


def test_frames_of_one_assessor_or_system_say_how_to_name_it():
    frame = pl.DataFrame({"topic": [1], "doc": ["a"], "grade": [1], "score": [0.5]})
    with pytest.raises(FileError, match='name it: assessor="ann"'):
        ds.Judgments.from_frame(frame)
    with pytest.raises(FileError, match='name it: system="bm25"'):
        ds.Runs.from_frame(frame)
    assert ds.Judgments.from_frame(frame, assessor="ann").assessors == ("ann",)


def test_runs_and_judgments_cannot_be_written_into():
    runs = ds.Runs.from_dict({"s": {1: {"a": 1.0}}})
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    for array in (runs.score, runs.key, runs.bounds, judgments.grade, judgments.item, judgments.assessor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_other_grades_leave_the_array_they_came_from_alone():
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    grades = np.zeros(1, np.int8)
    other = judgments.with_grades(grades)
    grades[0] = 1
    assert other.grade.tolist() == [0]
