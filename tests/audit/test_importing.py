"""Judging elsewhere: a page by mail, Label Studio, Quepid; out and back, twice, damaged, of another study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audit_studies import small_study
from refusals import refused
from wording import phrase

from dissensus.audit.importing import import_file
from dissensus.audit.live import Live
from dissensus.audit.offline import label_studio_config, label_studio_tasks, quepid_book, reserve
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Person, Study
from dissensus.errors import FileError


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return small_study(StudyStore.create(tmp_path / "study.db"), second_share=0.2)


def people(study: Study) -> list[Person]:
    return [p for p in study.people() if p.role == "assessor"]


def line(study: Study, key: int, **fields: Any) -> str:
    given = {"action": "grade", "grade": "1", "request": f"r{key}", "at": 1.5, **fields}
    return json.dumps({"dissensus_audit": 1, "study": study.id, "assignment": key, **given}) + "\n"


def test_a_judged_page_comes_back_once(study: Study, tmp_path: Path) -> None:
    ann, ben = people(study)
    given = reserve(study, [ann, ben], 10)
    file = tmp_path / "back.jsonl"
    for person in (ann, ben):
        file.write_text("".join(line(study, r.id) for r in given[person.id]))
        done = import_file(study, file)
        assert (done.new, done.known, done.refused) == (len(given[person.id]), 0, [])
    live = Live(study)
    live.refresh()
    assert live.prefix == ["1"] * 10
    again = import_file(study, file)
    assert (again.new, again.known) == (0, len(given[ben.id]))
    file.write_text(line(study, given[ben.id][0].id, request="other", grade="2"))
    assert phrase("importing.graded-already") in import_file(study, file).refused[0]


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"study": "x"}, ("back.jsonl:2",)),
        ({"dissensus_audit": 2}, ("back.jsonl:2", 2)),
        ({"grade": "7"}, ("back.jsonl:2", 7)),
        ({"assignment": 999_999}, ("back.jsonl:2", 999999)),
        ({"colour": "red"}, ("back.jsonl:2",)),
        ({"assignment": "one"}, ("back.jsonl:2",)),
    ],
)
def test_a_damaged_file_changes_nothing(
    study: Study, tmp_path: Path, change: dict[str, Any], values: tuple[object, ...]
) -> None:
    ann, ben = people(study)
    rows = reserve(study, [ann, ben], 10)[ann.id]
    bad = {**json.loads(line(study, rows[1].id)), **change}
    file = tmp_path / "back.jsonl"
    file.write_text(line(study, rows[0].id) + json.dumps(bad) + "\n")
    with refused(FileError, *values):
        import_file(study, file)
    file.write_text(line(study, rows[0].id))
    assert import_file(study, file).new == 1


def test_label_studio_out_and_back(study: Study, tmp_path: Path) -> None:
    ann, ben = people(study)
    rows = reserve(study, [ann, ben], 10)[ann.id]
    tasks = json.loads(label_studio_tasks(study, rows))
    assert "<Choice value=\"3\"" in label_studio_config(study)  # fmt: skip
    for i, task in enumerate(tasks):
        choice = "cannot judge" if i == 1 else str(i % 4)
        result = [{"from_name": "grade", "to_name": "text", "type": "choices", "value": {"choices": [choice]}}]
        old = [{"from_name": "grade", "value": {"choices": ["0"]}}]
        task["annotations"] = [
            {"id": 10 + i, "result": old, "was_cancelled": True, "created_at": "2026-01-02"},
            {"id": 50 + i, "result": result, "lead_time": 4.2, "created_at": "2026-01-01"},
        ]
    tasks[-1]["annotations"] = []
    file = tmp_path / "export.json"
    file.write_text(json.dumps(tasks))
    assert import_file(study, file).new == len(rows) - 1
    assert import_file(study, file).known == len(rows) - 1
    tasks[0]["data"]["dissensus_study"] = "other"
    file.write_text(json.dumps(tasks))
    with refused(FileError, 1, "export.json"):
        import_file(study, file)


def test_quepid_out_and_back(study: Study, tmp_path: Path) -> None:
    ann, ben = people(study)
    given = reserve(study, [ann, ben], 10)
    file = tmp_path / "book.json"
    for person in (ann, ben):
        book = json.loads(quepid_book(study, given[person.id]))
        assert book["scale"] == [0, 1, 2, 3]
        assert book["show_rank"] is False
        for i, pair in enumerate(book["query_doc_pairs"]):
            pair["judgements"] = [{"rating": None if i == 0 else 2.0, "unrateable": i == 0, "judge_later": False}]
        file.write_text(json.dumps(book))
        assert import_file(study, file).new == len(given[person.id])
    book["query_doc_pairs"][1]["judgements"][0]["rating"] = 9
    file.write_text(json.dumps(book))
    with refused(FileError, 2, 9, "book.json"):
        import_file(study, file)


def test_quepid_ratings_as_a_table(study: Study, tmp_path: Path) -> None:
    ann = people(study)[0]
    rows = reserve(study, [ann], 3)[ann.id]
    book = json.loads(quepid_book(study, rows))["query_doc_pairs"]
    file = tmp_path / "book.csv"
    file.write_text("query,docid,Ann\n" + "".join(f'"{p["query_text"]}",{p["doc_id"]},1.0\n' for p in book))
    assert import_file(study, file).new == 3
    file.write_text("topic,doc,grade\n1,2,3\n")
    with refused(FileError, "book.csv"):
        import_file(study, file)
