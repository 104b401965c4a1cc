"""What an evaluation says about itself: missing topics, unjudged documents, ties, empty topics."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.measures.account import empty_topics, missing_topics, tied_documents, unjudged_at, unjudged_counts

RUNS = {"s": {"1": {"a": 2.0, "b": 2.0, "u": 1.0}, "2": {"a": 1.0}}, "t": {"1": {"a": 1.0}}}
LABELS = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 0}}}


def test_counts_by_hand() -> None:
    joined = ds.Collection(ds.Runs.from_dict(RUNS), ds.Judgments.from_dict(LABELS, scale="0..1")).joined
    assert missing_topics(joined) == [("t", "2")]
    assert tied_documents(joined) == 1  # b has the score of the document before it
    assert unjudged_counts(joined, 10) == (1, 5)
    assert unjudged_at(joined, 10) == pytest.approx(1 / 5)
    assert empty_topics(joined, [ds.measure("AP")]) == {"ann": 1}
