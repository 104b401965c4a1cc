"""Audits: gold grades with the probability of having been chosen."""

from __future__ import annotations

import polars as pl
import pytest

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
    with pytest.warns(DissensusWarning, match="1 of the documents chosen for the audit have no grade"):
        audit = ds.read_audit(path)
    assert audit.inclusion.tolist() == [0.25]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,doc,grade,inclusion\nq1,a,1,0\n", "gold.csv:2: the inclusion '0' is out of range"),
        ("topic,doc,grade,inclusion\nq1,a,1,1.5\n", "must be above 0 and at most 1"),
        ("topic,doc,grade,inclusion\nq1,a,1,x\n", ":2: the inclusion 'x' is not a number"),
        ("topic,doc,inclusion\nq1,a,1\n", "no column 'grade'"),
        ("topic,doc,assessor,grade\nq1,a,x,1\nq1,a,y,1\n", "the word of one gold judge"),
        ("topic,doc,grade\nq1,a,1\nq1,a,0\n", "gold.csv:2"),
    ],
)
def test_errors_name_the_place(tmp_path, text, message):
    path = tmp_path / "gold.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        ds.read_audit(path)
    assert message in str(caught.value)


def test_missing_file(tmp_path):
    with pytest.raises(FileError, match="is not a file"):
        ds.read_audit(tmp_path / "nothing.csv")


def test_dict_needs_every_probability():
    with pytest.raises(InputError, match="no probability for topic q1, document b"):
        ds.Audit.from_dict({"q1": {"a": 1, "b": 0}}, inclusion={"q1": {"a": 0.5}})
    frame = ds.Audit.from_dict({"q1": {"a": 1}}, inclusion={"q1": {"a": 0.5}}).to_frame()
    assert frame.equals(pl.DataFrame({"topic": ["q1"], "doc": ["a"], "grade": [1], "inclusion": [0.5]}))


def test_a_plan_that_nobody_has_filled_in_yet():
    frame = pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [None, None], "inclusion": [0.5, 0.5]})
    with pytest.raises(FileError, match=r"holds no graded document\.\n  An audit needs gold grades: fill"):
        ds.Audit.from_frame(frame)  # at once, without a word about probabilities
