"""What is written reads back as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import dissensus as ds
from dissensus.errors import OutputError

ENDINGS = ["run", "csv", "tsv", "jsonl", "parquet", "run.gz", "csv.gz", "jsonl.gz"]
NAMES = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Cf", "Zl", "Zp"], blacklist_characters=" \x7f"),
    min_size=1,
    max_size=8,
).filter(lambda s: s.strip() == s and not s.startswith("#"))
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def same(a, b):
    assert a.systems == b.systems
    assert a.topics == b.topics
    assert np.array_equal(a.bounds, b.bounds)
    assert np.array_equal(a.score, b.score)
    assert a.ids.strings() == b.ids.strings()


@given(
    st.dictionaries(NAMES, st.dictionaries(NAMES, st.dictionaries(NAMES, SCORES, min_size=1), min_size=1), min_size=1),
    st.sampled_from(ENDINGS),
)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_runs(tmp_path_factory, runs, ending):
    made = ds.Runs.from_dict(runs)
    path = tmp_path_factory.getbasetemp() / f"all.{ending}"
    made.write(path)
    same(ds.read_runs(path, system="tag"), made)


@given(
    st.dictionaries(
        NAMES, st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(-3, 9), min_size=1), min_size=1), min_size=1
    ),
    st.sampled_from(ENDINGS),
)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_judgments(tmp_path_factory, judgments, ending):
    made = ds.Judgments.from_dict(judgments)
    path = tmp_path_factory.getbasetemp() / f"labels.{ending}"
    made.write(path)
    read = ds.read_judgments(path, assessor="column")
    assert read.to_frame().equals(made.to_frame())
    assert read.scale == made.scale
    assert read.notes == made.notes


@pytest.mark.parametrize("ending", ENDINGS)
def test_repeats_and_named_grades(tmp_path, ending):
    rows = {"topic": [1, 1, 1], "doc": ["d", "d", "e"], "assessor": ["ann"] * 3, "grade": ["rel", "non", "rel"]}
    made = ds.Judgments.from_frame(rows, scale="non,rel", repeated="keep")
    made.write(tmp_path / f"x.{ending}")
    read = ds.read_judgments(tmp_path / f"x.{ending}", assessor="column", scale="non,rel", repeated="keep")
    assert read.to_frame().equals(made.to_frame())
    assert read.repeat.tolist() == [0, 1, 0]


def test_one_file_per_system(tmp_path):
    made = ds.Runs.from_dict({"a": {1: {"d": 2.0}}, "b.v2": {1: {"e": 1e300}, 2: {"d": -0.5}}})
    made.write(tmp_path / "{system}.run")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.run", "b.v2.run"]
    same(ds.read_runs(tmp_path / "*"), made)
    with refused(OutputError, "x/y"):
        ds.Runs.from_dict({"x/y": {1: {"d": 1.0}}}).write(tmp_path / "{system}.run")


def test_what_trec_files_cannot_hold(tmp_path):
    for runs in ({"s": {1: {"a b": 1.0}}}, {"s": {"#1": {"d": 1.0}}}, {"my system": {1: {"d": 1.0}}}):
        with refused(OutputError, "a.run"):
            ds.Runs.from_dict(runs).write(tmp_path / "a.run")
        assert list(tmp_path.iterdir()) == []
        ds.Runs.from_dict(runs).write(tmp_path / "a.csv")
        same(ds.read_runs(tmp_path / "a.csv"), ds.Runs.from_dict(runs))
        (tmp_path / "a.csv").unlink()
    with refused(OutputError, "a.parquet.gz"):
        ds.Runs.from_dict({"s": {1: {"d": 1.0}}}).write(tmp_path / "a.parquet.gz")


def test_written_twice_is_the_same_file(tmp_path):
    made = ds.Runs.from_dict({"s": {1: {"d": 1.0, "e": 0.1}}})
    made.write(tmp_path / "a.run.gz")
    first = (tmp_path / "a.run.gz").read_bytes()
    made.write(tmp_path / "a.run.gz")
    assert (tmp_path / "a.run.gz").read_bytes() == first


def test_a_folder_that_does_not_exist(tmp_path):
    with refused(OutputError, "a.csv"):
        ds.Judgments.from_dict({"a": {1: {"d": 1}}}).write(tmp_path / "no" / "a.csv")
