"""The log: one row per act, repetition harmless, undo a new row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from audit_studies import experts, grade_next, log_of, small_study
from refusals import refused

from dissensus.audit import schema
from dissensus.audit.judging import judge, judged, upcoming
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.store import StudyStore


def test_a_request_sent_twice_is_one_label(store: StudyStore) -> None:
    study = small_study(store)
    ann, _ = experts(study)
    (document,) = upcoming(study, ann.id, 1)
    entry = Entry(document["assignment"], "grade", "same", "2")
    assert judge(study, ann.id, entry)
    assert not judge(study, ann.id, entry)
    assert len(log_of(study, schema.label)) == 1
    with refused(Refused):
        judge(study, ann.id, Entry(document["assignment"], "grade", "same", "1"))


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        ({"action": "grade", "grade": "4"}, (4,)),
        ({"action": "grade"}, ("grade",)),
        ({"action": "cannot"}, ("cannot",)),
        ({"action": "cannot", "cannot": " "}, ()),
        ({"action": "like"}, ("like", "undo")),
        ({"action": "grade", "grade": "1", "seconds": -1.0}, ("-1.0",)),
        ({"action": "grade", "grade": "1", "comment": "x" * 2001}, (2000,)),
        ({"action": "undo"}, ("undo",)),
    ],
)
def test_what_cannot_be_a_label_is_refused(tmp_path: Path, fields: dict[str, Any], values: tuple[object, ...]) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    ann, ben = experts(study)
    (document,) = upcoming(study, ann.id, 1)
    with refused(Refused, *values):
        judge(study, ann.id, Entry(document["assignment"], request="r", **fields))
    with refused(Refused, 1):
        judge(study, ben.id, Entry(document["assignment"], "grade", "r", "1"))
    assert log_of(study, schema.label) == []


def test_undo_adds_a_row_and_brings_the_document_back(store: StudyStore) -> None:
    study = small_study(store)
    ann, _ = experts(study)
    first = grade_next(study, ann, "r1", "0")
    assert first is not None
    grade_next(study, ann, "r2")
    judge(study, ann.id, Entry(first["assignment"], "undo", "u1"))
    assert upcoming(study, ann.id, 1)[0]["assignment"] == first["assignment"]
    grade_next(study, ann, "r3", "3")
    assert [r.action for r in log_of(study, schema.label)] == ["grade", "grade", "undo", "grade"]
    assert judged(study, ann.id) == 2


def test_skip_puts_a_document_behind_the_others_of_the_block(store: StudyStore) -> None:
    study = small_study(store, experts=("ann",))
    (ann,) = experts(study)
    first = upcoming(study, ann.id, 1)[0]["assignment"]
    judge(study, ann.id, Entry(first, "skip", "s1"))
    order = []
    for i in range(10):
        document = grade_next(study, ann, f"r{i}")
        assert document is not None
        order.append(document["assignment"])
    assert order[-1] == first
