"""A JSON file as the doors see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.data.readers.doors.document import Document, list_of, number, text


def test_places_by_line_or_by_record() -> None:
    records = [{"a": 1}, {"a": 2}]
    assert Document(records, Path("f.jsonl"), (1, 4)).place(1, "rank 2") == "f.jsonl:4, rank 2"
    assert Document(records, Path("f.json")).place(1) == "f.json, record 2"


def test_records_are_lists_of_objects_only() -> None:
    assert Document([{"a": 1}, 2], Path("f")).records == []
    assert Document({"a": 1}, Path("f")).records == []
    two = Document([{"a": 1, "b": 2}, {"a": 3}], Path("f"))
    assert two.all_have("a")
    assert not two.all_have("a", "b")
    assert not Document([], Path("f")).all_have()


@pytest.mark.parametrize(
    ("value", "found"),
    [(True, 1), (2, 2), (2.5, 2.5), ("3.000", 3), (" 0.25", 0.25), ("1e400", None), ("nan", None), (float("nan"), None),
     ("high", None), (None, None), ([1], None)],
)  # fmt: skip
def test_numbers(value: object, found: float | None) -> None:
    assert number(value) == found
    assert type(number(value)) is type(found)


def test_texts_and_lists() -> None:
    assert text(" a\n b ") == "a b"
    assert text(7) == "7"
    assert [text(v) for v in ("  ", None, {}, [])] == [None] * 4
    assert list_of([1]) == [1]
    assert list_of({"a": 1}) == []
