"""Table 3: the kind of a list is decided by one judge, the top labels are counted from the others."""

from __future__ import annotations

import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.studies.labels.dependencies import as_printed, dependencies


def judgments() -> ds.Judgments:
    # topic 1: ann finds a top document, ben none; topic 2: ann finds none, ben one
    return ds.Judgments.from_dict(
        {
            "ann": {"1": {"a": 2, "b": 1}, "2": {"a": 1, "b": 0}},
            "ben": {"1": {"a": 1, "b": 1}, "2": {"a": 2, "b": 0}},
        }
    )


def test_by_hand() -> None:
    table = dependencies(judgments(), None, None)
    cells = {(row["lists"], row["grade"]): (row["p"], row["labels"]) for row in table.iter_rows(named=True)}
    # lists with a top label: ann's topic 1 (b: 1, ben says 1) and ben's topic 2 (b: 0, ann says 0)
    assert cells["with a top label", "1"] == (0.0, 1)
    assert cells["with a top label", "0"] == (0.0, 1)
    # without: ann's topic 2 (a: 1, ben says top) and ben's topic 1 (a: 1, ann says top; b: 1, ann says 1)
    assert cells["without", "1"] == (pytest.approx(2 / 3), 3)
    assert cells["without", "0"] == (0.0, 1)


def test_lists_without_a_top_label_are_not_zero_by_construction() -> None:
    table = dependencies(judgments(), None, None)
    assert table.filter(lists="without")["p"].max() > 0


def test_depth_and_groups() -> None:
    runs = ds.Runs.from_dict({"s": {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}}})
    table = dependencies(judgments(), None, runs, (1, 2), {"1": "first", "2": "second"})
    assert set(table["depth"]) == {"1", "2"}
    assert set(table["topics"]) == {"all", "first", "second"}
    first = table.filter(depth="1", topics="first")  # only document a: ann's list is good, ben's is not
    assert first.filter(lists="without")["p"].to_list() == [1.0]


def test_one_assessor_shows_nothing() -> None:
    with refused(InputError):
        dependencies(ds.Judgments.from_dict({"ann": {"1": {"a": 1}}}), None, None)


def test_the_printed_table() -> None:
    table = as_printed()
    assert table.height == 6
    good = table.filter(lists="with a top label", depth="10", topics="all")
    assert good["p(Key | HRel)"].item() == 0.23
