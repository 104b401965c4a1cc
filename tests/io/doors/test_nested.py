"""Objects in objects: two levels, or three with names."""

from __future__ import annotations

from pathlib import Path

import pytest
from wording import phrase

from dissensus.io.exports import nested
from dissensus.io.exports.document import ExportedFile


@pytest.mark.parametrize(
    ("value", "opens"),
    [
        ({"q": {"d": 1.5}}, True),
        ({"a": {"q": {"d": 1}, "r": {}}}, True),
        ({"q": {"d": "2"}}, True),
        ({"q": {"d": "high"}}, False),
        ({"d": 1}, False),
        ({"q": {"d": 1}, "r": {"x": {"d": 1}}}, False),
        ({"a": {"b": {"c": {"d": 1}}}}, False),
        ({}, False),
        ([{"q": 1}], False),
    ],
)
def test_which_objects_open(value: object, opens: bool) -> None:
    assert nested.opens(ExportedFile(value, Path("f.json"))) == opens


def test_two_and_three_levels() -> None:
    two = nested.read(ExportedFile({"q": {"d": 2}}, Path("f.json")))
    assert not two["runs"].named
    assert two["judgments"].place(0) == "f.json, q.d"
    three = nested.read(ExportedFile({"a": {"q": {"d": 2}}}, Path("f.json")))
    assert three["runs"].columns["system"].to_list() == ["a"]
    assert three["judgments"].columns["assessor"].to_list() == ["a"]


def test_a_name_without_documents_is_not_lost_in_silence() -> None:
    """It made the file unknown, or was dropped without a word."""
    document = ExportedFile({"a": {"q": {"d": 2}}, "b": {"q": {}}, "c": {}}, Path("f.json"))
    assert nested.opens(document)
    for rows in nested.read(document).values():
        assert len(rows) == 1
        assert rows.notes == (phrase("nested.left-out-without-documents", "b", "c"),)
