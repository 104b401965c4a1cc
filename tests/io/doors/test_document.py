"""What every door takes and gives: documents, and rows with the places they came from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from wording import phrase

from dissensus.io.exports.document import ExportedFile, Sheet, dropped, list_of, number, text


def test_places_by_line_or_by_record() -> None:
    records = [{"a": 1}, {"a": 2}]
    assert ExportedFile(records, Path("f.jsonl"), (1, 4)).place(1, "rank 2") == "f.jsonl:4, rank 2"
    assert ExportedFile(records, Path("f.json")).place(1) == "f.json, record 2"


def test_records_are_lists_of_objects_only() -> None:
    assert ExportedFile([{"a": 1}, 2], Path("f")).records == []
    assert ExportedFile({"a": 1}, Path("f")).records == []
    two = ExportedFile([{"a": 1, "b": 2}, {"a": 3}], Path("f"))
    assert two.all_have("a")
    assert not two.all_have("a", "b")
    assert not ExportedFile([], Path("f")).all_have()


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


def test_a_sheet_becomes_rows_that_know_their_places() -> None:
    sheet = Sheet("judgments")
    assert not sheet
    for i, (doc, grade) in enumerate((("x", 2), ("y", 0), ("z", 1))):
        sheet.add(f"f.json, record {i + 1}", topic="q", doc=doc, grade=grade)
    rows = sheet.rows("first", "", scale=("0", "1", "2"))
    assert (len(rows), rows.notes, rows.scale, rows.named) == (3, ("first",), ("0", "1", "2"), False)
    kept = rows.keep(np.array([2, 0]), "one left out")
    assert kept.columns["doc"].to_list() == ["z", "x"]
    assert [kept.place(i) for i in range(2)] == ["f.json, record 3", "f.json, record 1"]
    assert kept.notes == ("first", phrase("rows.left-out"))


def test_who_is_named_depends_on_the_kind() -> None:
    runs, judged = Sheet("runs"), Sheet("judgments")
    runs.add("here", system="a", topic="q", doc="x", score=1.0)
    judged.add("here", assessor="a", topic="q", doc="x", grade=1)
    assert runs.rows().named
    assert judged.rows().named
    assert dropped(0, 10, "are odd") == ""
