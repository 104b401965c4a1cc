"""What an assessor gets and does."""

from __future__ import annotations

from audit_studies import experts, grade_next, small_study

from dissensus.audit.judging import PREFETCH, judge_and_go_on, judged, situation, upcoming
from dissensus.audit.labelling import Entry
from dissensus.audit.live import Live
from dissensus.audit.store import StudyStore


def test_the_next_documents_hold_texts_only(store: StudyStore) -> None:
    study = small_study(store)
    ann, _ = experts(study)
    documents = upcoming(study, ann.id)
    assert len(documents) == PREFETCH
    assert all(set(d) == {"assignment", "topic", "document"} for d in documents)


def test_a_judgment_brings_the_next_documents(store: StudyStore) -> None:
    study = small_study(store)
    ann, _ = experts(study)
    first, second, *_ = upcoming(study, ann.id)
    after = judge_and_go_on(study, ann.id, Entry(first["assignment"], "grade", "r", "1"))
    assert after["judged"] == judged(study, ann.id) == 1
    assert after["documents"][0] == second


def test_nothing_is_given_out_once_the_study_has_stopped(store: StudyStore) -> None:
    study = small_study(store, stop="budget:2", experts=("ann",))
    (ann,) = experts(study)
    for i in range(3):
        grade_next(study, ann, f"r{i}")
    live = Live(study)
    live.refresh()
    assert live.mark_stop() == 2
    now = situation(study, ann.id)
    assert (now["over"], now["documents"]) == (True, [])
    assert upcoming(study, ann.id) == []
