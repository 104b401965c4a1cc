"""Columns from frames of every kind, and what is refused in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import FileError, InputError, RunError
from dissensus.tables.columns import column_or_none, find_column, freeze_arrays

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
    (frame(topic=[1, None, 2]), InputError, (2,)),
    (frame(topic=[1.0, 1.0, 2.0]), InputError, (1, "1.0", "Float64")),
    (frame(doc=["a", True, "b"]), InputError, (2, "True", "string")),
    (frame(doc=["a", " b", "b"]), InputError, (2, "' b'")),
    (frame(doc=["a", "b\n", "b"]), InputError, (2, "'b\\n'")),
    (frame(doc=["a", "", "b"]), InputError, (2,)),
    (frame(doc=["a", "\ud800", "b"]), InputError, (2, "'\\ud800'")),
    (frame(doc=["a", "x" * 70_000, "b"]), InputError, (65535,)),
    (frame(doc=["a", "a", "b"]), RunError, (1, 2)),
    (frame(score=[1.0, float("nan"), 3.0]), RunError, (2, "nan")),
    (frame(score=[1.0, None, 3.0]), RunError, (2, "None")),
    (frame(score=[1.0, True, 3.0]), RunError, (2, "True")),
    (frame(score=["1", "1_0", "3"]), RunError, (2, "1_0")),
    (frame(score=[True, False, True]), RunError, (1, "True")),
    (frame(score=[1, 10**400, 3]), RunError, (2, 10**400)),
]


@pytest.mark.parametrize(("columns", "error", "values"), BAD)
def test_what_is_refused(columns, error, values):
    with refused(error, *values):
        ds.Runs.from_frame(columns)


def test_pandas_missing_values_are_missing():
    with refused(InputError, 2):
        ds.Runs.from_frame(pd.DataFrame(frame(doc=["a", np.nan, "b"])))
    with refused(InputError, "doc"):
        ds.Runs.from_frame(pd.DataFrame([[1, 2, 3, 4]], columns=["topic", "doc", "doc", "score"]), system="s")
    with refused(InputError):
        ds.Runs.from_frame(3)


def test_columns_by_role():
    assert find_column(["Query ID", "DocNo"], "topic", "x") == "Query ID"
    assert find_column(["doc", "url"], "doc", "x") == "doc"  # the plain name wins
    assert column_or_none(["a", "b"], "assessor", "x") is None
    with refused(FileError, "score", "a"):
        find_column(["a"], "score", "x")
    with refused(FileError, "docid", "pid"):
        find_column(["docid", "pid"], "doc", "x")


def test_names_of_ids_win_over_names_of_texts():
    terrier = ["qid", "docid", "docno", "score", "rank", "query"]
    assert [find_column(terrier, role, "x") for role in ("topic", "doc")] == ["qid", "docno"]
    assert find_column(["query", "query_id", "passage", "passage_id"], "topic", "x") == "query_id"
    assert find_column(["query", "query_id", "passage", "passage_id"], "doc", "x") == "passage_id"
    assert find_column(["HITId", "WorkerId", "Input.docno", "Answer.label"], "doc", "x") == "Input.docno"


def test_dicts_of_another_depth_are_refused_in_words():
    qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 0.5}}  # as other tools have them
    with refused(InputError, "q1", "d1", 1):
        ds.Judgments.from_dict(qrels)
    with refused(InputError, "q1", "d1", "0.5"):
        ds.Runs.from_dict(run)
    with refused(InputError, "bm25", "q1", "d1", "d2"):
        ds.Runs.from_dict({"bm25": {"q1": ["d1", "d2"]}})
    with refused(InputError, "None"):
        ds.Runs.from_dict(None)


def test_an_assessor_without_labels_is_not_lost_in_silence():
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}, "bob": {1: {}}, "cyd": {}})
    assert judgments.assessors == ("ann",)
    assert judgments.notes == (phrase("columns.left-out-without-labels", "bob", "cyd"),)


def test_frames_of_one_assessor_or_system_say_how_to_name_it():
    frame = pl.DataFrame({"topic": [1], "doc": ["a"], "grade": [1], "score": [0.5]})
    with refused(FileError, 'assessor="ann"'):
        ds.Judgments.from_frame(frame)
    with refused(FileError, 'system="bm25"'):
        ds.Runs.from_frame(frame)
    assert ds.Judgments.from_frame(frame, assessor="ann").assessors == ("ann",)


def test_other_grades_leave_the_array_they_came_from_alone():
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    grades = np.zeros(1, np.int8)
    other = judgments.with_grades(grades)
    grades[0] = 1
    assert other.grade.tolist() == [0]


def test_runs_and_judgments_cannot_be_written_into():
    runs = ds.Runs.from_dict({"s": {1: {"a": 1.0}}})
    judgments = ds.Judgments.from_dict({"ann": {1: {"a": 1}}})
    for array in (runs.score, runs.key, runs.bounds, judgments.grade, judgments.item, judgments.assessor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@dataclass(frozen=True, eq=False)
class Holder:
    array: np.ndarray
    name: str = "x"


def test_the_array_that_was_given_stays_as_it_was() -> None:
    given = np.zeros(2)
    holder = Holder(given)
    freeze_arrays(holder)
    with pytest.raises(ValueError, match="read-only"):
        holder.array[0] = 1
    given[0] = 5
    assert holder.array.tolist() == [5, 0]  # a view, not a copy
