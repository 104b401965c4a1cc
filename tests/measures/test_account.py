"""The account under a table of scores, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from wording import phrase

import dissensus as ds
from dissensus.data.tables.collection import join
from dissensus.measures.account import (
    describe,
    empty_topics,
    missing_topics,
    remarks,
    tied_documents,
    unjudged_at,
    unjudged_counts,
)
from dissensus.measures.policies import Policies

RUNS = ds.Runs.from_dict(
    {"s": {"1": {"a": 2.0, "b": 2.0, "c": 1.0}, "2": {"a": 1.0, "b": 1.0}, "9": {"a": 1.0}}, "t": {"1": {"x": 1.0}}}
)


JUDGED = ds.Judgments.from_dict({"ann": {"1": {"a": 1, "c": -1}, "2": {"b": 0}}, "bob": {"1": {"a": 2}}}, scale="0..2")


def test_counts() -> None:
    joined = join(RUNS, JUDGED)
    assert missing_topics(joined) == [("t", "2")]
    # s on topic 1: three documents by two assessors, a judged by both; topic 2: two by ann, one judged; t: one, by two
    assert unjudged_counts(joined, 10) == (6 - 2 + 2 - 1 + 2, 6 + 2 + 2)
    assert unjudged_counts(joined, 1) == (2 + 0 + 2, 5)  # b comes first in both rankings of s
    assert tied_documents(joined) == 2  # b under a in both rankings; rankings are not tied with each other
    assert empty_topics(joined, [ds.measure("AP")]) == {"ann": 1}
    assert empty_topics(joined, [ds.measure("AP(rel=2)"), ds.measure("AP")]) == {"ann": 2}
    assert empty_topics(joined, [ds.measure("P@5")]) == {}


def test_the_attributes_and_their_footer() -> None:
    joined = join(RUNS, JUDGED)
    attrs = describe(joined, [ds.measure("AP")], Policies(), np.arange(2))
    assert (attrs["n_topics"], attrs["missing"]) == (2, [("t", "2")])
    assert attrs["unjudged_top10"] == pytest.approx(7 / 10)
    assert phrase("account.missing-scored-empty", 1) in attrs["footer"]
    assert any(phrase("account.topic-runs-left-out", 1) in note for note in attrs["notes"])


def test_remarks() -> None:
    assert remarks(0, 0, np.array([5, 5]), 5) == []
    repeats, unknown, partial = remarks(2, 1, np.array([3, 5]), 5)
    assert repeats.startswith(phrase("account.repeated-judgments", 2))
    assert unknown.startswith("1 topic")
    assert "3 to 5 of 5" in partial


EXAMPLE_RUNS = {"s": {"1": {"a": 2.0, "b": 2.0, "u": 1.0}, "2": {"a": 1.0}}, "t": {"1": {"a": 1.0}}}


LABELS = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 0}}}


def test_counts_by_hand() -> None:
    joined = ds.Collection(ds.Runs.from_dict(EXAMPLE_RUNS), ds.Judgments.from_dict(LABELS, scale="0..1")).joined
    assert missing_topics(joined) == [("t", "2")]
    assert tied_documents(joined) == 1  # b has the score of the document before it
    assert unjudged_counts(joined, 10) == (1, 5)
    assert unjudged_at(joined, 10) == pytest.approx(1 / 5)
    assert empty_topics(joined, [ds.measure("AP")]) == {"ann": 1}
