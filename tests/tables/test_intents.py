"""Intents of topics: labels per assessor and intent."""

from __future__ import annotations

import numpy as np
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.tables.intents import Intents, pair_names, with_intents


def test_reading_intents(tmp_path) -> None:
    (tmp_path / "web.qrels").write_text("1 1 d 1\n1 2 d 0\n1 2 e 1\n")
    judgments = ds.read_judgments(tmp_path / "web.qrels", intent="column")
    assert judgments.assessors == ("web",)
    assert judgments.intents is not None
    assert judgments.intents.names == ("1", "2")
    (tmp_path / "web.csv").write_text("topic,subtopic,doc,grade\n1,1,d,1\n1,2,d,0\n1,2,e,1\n")
    table = ds.read_judgments(tmp_path / "web.csv", intent="column")
    assert table.intents is not None
    np.testing.assert_array_equal(table.intents.labels, judgments.intents.labels)
    some = judgments.select(topics=["1"], assessors=["web"])
    assert some.intents is not None
    np.testing.assert_array_equal(some.intents.labels, judgments.intents.labels)
    with refused(InputError, 2, options=["assessor", "intent"]):
        ds.read_judgments(tmp_path / "web.qrels", intent="column", assessor="column")


def test_some_items_and_assessors_are_numbered_anew() -> None:
    labels = np.arange(12, dtype=np.int8).reshape(3, 4)
    intents = Intents(("x", "y", "x", "z"), np.array([0, 0, 1, 2]), labels)
    some = intents.select(np.array([2, 0]), [2, 0])
    assert some.names == ("z", "x", "y")
    assert some.owner.tolist() == [0, 1, 1]
    assert some.labels.tolist() == [[11, 8, 9], [3, 0, 1]]


def test_a_document_has_the_highest_grade_of_its_intents() -> None:
    names, meaning = pair_names(["ann", "ann", "bob"], ["1", "2", "1"])
    pairs = ds.Judgments.from_columns(["t"] * 3, ["d"] * 3, names, [0, 2, 1], scale="0..2", place="test")
    found = with_intents(pairs, meaning)
    assert found.to_frame().select("assessor", "grade").rows() == [("ann", 2), ("bob", 1)]
    assert found.intents is not None
    assert found.intents.names == ("1", "2", "1")
    assert found.intents.owner.tolist() == [0, 0, 1]
    assert found.intents.labels.tolist() == [[0, 2, 1]]
