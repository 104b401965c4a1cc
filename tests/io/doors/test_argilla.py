"""Argilla: responses by user, suggestions by agent, several questions."""

from __future__ import annotations

from pathlib import Path

from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import argilla
from dissensus.io.exports.document import ExportedFile


def record(**more: object) -> ExportedFile:
    return ExportedFile([{"id": "r1", "fields": {"text": "t"}, "responses": {}, **more}], Path("a.json"))


def test_several_questions_need_a_choice() -> None:
    both = {"rel": [{"value": 2, "user_id": "u"}], "style": [{"value": 1, "user_id": "u"}]}
    with refused(FileError, "a.json"):
        argilla.read(record(responses=both))
    rows = argilla.read(record(responses=both), "style")["judgments"]
    assert rows.columns["grade"].to_list() == [1]


def test_drafts_and_empty_answers_are_missing_and_counted() -> None:
    given = [{"value": 1, "user_id": "u", "status": "draft"}, {"value": None, "user_id": "v"}, {"value": 3}]
    rows = argilla.read(record(responses={"rel": given}, suggestions=[{"question_name": "rel", "value": 0}]))[
        "judgments"
    ]
    assert rows.columns["assessor"].to_list() == ["anonymous", "suggestion"]
    assert rows.columns["grade"].to_list() == [3, 0]
    assert any(note.startswith(phrase("argilla.judgments-drafts-empty", 2, 4)) for note in rows.notes)
