"""Audits: gold grades with the probability of having been chosen."""

from __future__ import annotations

import polars as pl
import pytest
from refusals import refused, warned

import dissensus as ds
from dissensus.errors import DissensusWarning, FileError, InputError


def test_reads_a_plan_that_came_back(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("topic,doc,grade,inclusion\nq2,b,1,0.5\nq1,z,0,0.25\nq1,a,2,1\n")
    audit = ds.read_audit(path)
    assert audit.to_frame().rows() == [("q1", "a", 2, 1.0), ("q1", "z", 0, 0.25), ("q2", "b", 1, 0.5)]
    assert repr(audit) == "Audit(3 documents, 2 topics, inclusion 0.25 to 1)"


def test_without_inclusion_it_is_unknown(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("query\tdocno\tlabel\nq1\ta\t1\n")
    assert ds.read_audit(path).inclusion is None
    assert ds.read_audit(path).to_frame()["inclusion"].to_list() == [None]


def test_ungraded_rows_lower_the_inclusion(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("topic,doc,grade,inclusion\nq1,a,1,0.5\nq1,b,,0.5\n")
    with warned(DissensusWarning, 1):
        audit = ds.read_audit(path)
    assert audit.inclusion.tolist() == [0.25]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("topic,doc,grade,inclusion\nq1,a,1,0\n", ("gold.csv:2", 0)),
        ("topic,doc,grade,inclusion\nq1,a,1,1.5\n", (0, 1)),
        ("topic,doc,grade,inclusion\nq1,a,1,x\n", (":2", "x")),
        ("topic,doc,inclusion\nq1,a,1\n", ("grade",)),
        ("topic,doc,assessor,grade\nq1,a,x,1\nq1,a,y,1\n", ()),
        ("topic,doc,grade\nq1,a,1\nq1,a,0\n", ("gold.csv:2",)),
    ],
)
def test_errors_name_the_place(tmp_path, text, values):
    path = tmp_path / "gold.csv"
    path.write_text(text)
    with refused(InputError, *values):
        ds.read_audit(path)


def test_missing_file(tmp_path):
    with refused(FileError, "nothing.csv"):
        ds.read_audit(tmp_path / "nothing.csv")


def test_dict_needs_every_probability():
    with refused(InputError, "q1"):
        ds.Audit.from_dict({"q1": {"a": 1, "b": 0}}, inclusion={"q1": {"a": 0.5}})
    frame = ds.Audit.from_dict({"q1": {"a": 1}}, inclusion={"q1": {"a": 0.5}}).to_frame()
    assert frame.equals(pl.DataFrame({"topic": ["q1"], "doc": ["a"], "grade": [1], "inclusion": [0.5]}))


def test_a_plan_that_nobody_has_filled_in_yet():
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [None, None], "inclusion": [0.5, 0.5]})
    with refused(FileError):
        ds.Audit.from_frame(frame)  # at once, without a word about probabilities


@pytest.mark.parametrize("odd", ['"0.5"', '" 0.5 "', "0.5"])
def test_probabilities_written_as_numbers_and_as_texts(tmp_path, odd: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        f'{{"topic":"1","doc":"x","grade":1,"inclusion":0.5}}\n{{"topic":"1","doc":"y","grade":0,"inclusion":{odd}}}\n'
    )
    assert ds.read_audit(path).inclusion.tolist() == [0.5, 0.5]


@pytest.mark.parametrize("odd", ["[1]", "true", '"half"', "9" * 400])
def test_probabilities_that_are_no_numbers(tmp_path, odd: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        f'{{"topic":"1","doc":"x","grade":1,"inclusion":0.5}}\n{{"topic":"1","doc":"y","grade":0,"inclusion":{odd}}}\n'
    )
    with refused(ds.DissensusError, "a.jsonl:2"):
        ds.read_audit(path)


@pytest.mark.parametrize("values", [["x"], [None], [[1]], ["0.5"]])
def test_a_frame_of_texts_is_refused_or_read(values: list[object]) -> None:
    rows = pl.DataFrame({"topic": ["1"], "doc": ["x"], "grade": ["1"], "inclusion": ["0.5"]})
    everyone = pl.DataFrame({"topic": [1], "doc": ["x"], "inclusion": values})
    if values == ["0.5"]:
        assert ds.Audit.from_frame(rows, everyone=everyone).frame.table["inclusion"].to_list() == [0.5]
    else:
        with refused(ds.DissensusError, "document x"):
            ds.Audit.from_frame(rows, everyone=everyone)
    with refused(ds.DissensusError, "row 1"):
        ds.Audit.from_frame(rows, everyone=pl.DataFrame({"topic": ["1"], "doc": [None], "inclusion": [0.5]}))


def test_numbers_too_large_for_a_double_in_a_confusion() -> None:
    for table in ([[10**400, 1], [1, 2]], [["x", 1], [1, 2]]):
        with pytest.raises(ds.DissensusError):
            ds.Confusion(table)
        with pytest.raises(ds.DissensusError):
            ds.Confusion([[0.5, 0.5], [0.5, 0.5]], counts=table)
