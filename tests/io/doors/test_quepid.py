"""Quepid: everybody's grade is kept, and the book's scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import quepid
from dissensus.io.exports.document import ExportedFile


def book(*judgements: object, scale: object = (0, 1, 2, 3)) -> ExportedFile:
    pair = {"query_text": "q", "doc_id": 7, "judgements": list(judgements)}
    return ExportedFile(
        {"scale": scale if isinstance(scale, str) else list(scale), "query_doc_pairs": [pair]}, Path("b.json")
    )


def test_unrated_judgements_are_missing() -> None:
    rows = quepid.read(book({"rating": 2.0, "user_name": "ann"}, {"rating": 1, "unrateable": True}, {"rating": None}))[
        "judgments"
    ]
    assert (rows.columns["grade"].to_list(), rows.columns["assessor"].to_list()) == ([2.0], ["ann"])
    assert any(note.startswith(phrase("quepid.judgments-unrated", 2, 3)) for note in rows.notes)
    assert rows.place(0) == "b.json, query_doc_pairs[0].judgements[0]"


@pytest.mark.parametrize(
    ("scale", "names"),
    [((0, 1, 2), ("0", "1", "2")), ("0,1", ("0", "1")), ((1, 2, 3), None), ((0, 2), None), ((), None)],
)
def test_scales_without_a_gap_are_declared(scale: object, names: tuple[str, ...] | None) -> None:
    assert quepid.read(book({"rating": 1}, scale=scale))["judgments"].scale == names


def test_a_pair_without_a_document_is_refused_by_place() -> None:
    with refused(FileError, "query_doc_pairs", "[0]"):
        quepid.read(ExportedFile({"query_doc_pairs": [{"query_text": "q"}]}, Path("b.json")))
