"""Columns from frames of every kind, and what is refused in them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dissensus as ds
from dissensus.data.tables.columns import column_or_none, find_column
from dissensus.errors import FileError, InputError, RunError

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
    (frame(doc=["a", "\ud800", "b"]), InputError, "row 2: the doc '\\ud800' is not text"),
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


def test_other_grades_leave_the_array_they_came_from_alone():
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    grades = np.zeros(1, np.int8)
    other = judgments.with_grades(grades)
    grades[0] = 1
    assert other.grade.tolist() == [0]
