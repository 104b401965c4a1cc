"""Rows and the places they came from."""

from __future__ import annotations

import numpy as np
from wording import phrase

from dissensus.data.readers.rows import Sheet, dropped


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
