"""Label Studio: annotations are people, predictions judges."""

from __future__ import annotations

from pathlib import Path

import pytest
from refusals import refused
from wording import phrase

from dissensus.errors import FileError
from dissensus.io.exports import label_studio
from dissensus.io.exports.document import ExportedFile


def task(data: dict[str, object], *results: object, **more: object) -> ExportedFile:
    return ExportedFile(
        [{"id": 5, "data": data, "annotations": [{"completed_by": 1, "result": list(results), **more}]}], Path("l.json")
    )


def answer(value: dict[str, object], name: str = "rel") -> dict[str, object]:
    return {"from_name": name, "value": value}


@pytest.mark.parametrize(
    ("value", "grade"),
    [({"choices": ["2"]}, "2"), ({"rating": 3}, 3), ({"number": 4}, 4), ({"choices": ["1", "2"]}, None)],
)
def test_answers(value: dict[str, object], grade: object) -> None:
    rows = label_studio.read(task({"qid": "q", "docno": "d"}, answer(value)))["judgments"]
    assert (rows.columns["grade"].to_list() if len(rows) else []) == ([] if grade is None else [grade])


def test_several_questions_need_a_choice() -> None:
    both = task({"qid": "q"}, answer({"rating": 1}), answer({"rating": 2}, "style"))
    with refused(FileError, "l.json"):
        label_studio.read(both)
    rows = label_studio.read(both, "style")["judgments"]
    assert (rows.columns["grade"].to_list(), rows.columns["doc"].to_list()) == ([2], ["5"])


def test_cancelled_answers_are_counted_and_ids_found_by_their_usual_names() -> None:
    rows = label_studio.read(task({"text": "x"}, answer({"rating": 1}), was_cancelled=True))["judgments"]
    assert any(note.startswith(phrase("label-studio.judgments-cancelled", 1, 1)) for note in rows.notes)
    assert label_studio.ids_of({"query_id": 7, "doc": " d ", "empty": ""}, "f") == ("7", "d")
