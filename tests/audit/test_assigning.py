"""Who judges what: drawn by the seed, never one item in one role to two people, nothing left lying."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import pairwise

from audit_studies import experts, grade_next, log_of, small_study, true_grade
from refusals import refused

from dissensus.audit import assigning, schema
from dissensus.audit.judging import arrive, judge, upcoming
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.live import Live
from dissensus.audit.store import StudyStore


def test_what_one_cannot_judge_goes_to_the_other_and_then_to_bounds(store: StudyStore) -> None:
    study = small_study(store, second_share=0.0)
    ann, ben = experts(study)
    (document,) = upcoming(study, ann.id, 1)
    judge(study, ann.id, Entry(document["assignment"], "cannot", "c1", cannot="broken"))
    (passed,) = (a for a in log_of(study, schema.assignment) if a.attempt == 1)
    assert (passed.assessor, passed.role) == (ben.id, "first")
    position = next(i.position for i in log_of(study, schema.item) if i.id == passed.item)
    judge(study, ben.id, Entry(passed.id, "cannot", "c2", cannot="broken, too"))
    for i in range(40):
        grade_next(study, ann, f"a{i}")
        grade_next(study, ben, f"b{i}")
    live = Live(study)
    live.refresh()
    assert live.prefix[position - 1] is None
    assert live.prefix.count(None) == 1
    with refused(Refused):
        judge(study, ann.id, Entry(document["assignment"], "undo", "u"))


def test_an_undone_cannot_is_taken_back_from_the_other(store: StudyStore) -> None:
    study = small_study(store, second_share=0.0)
    ann, ben = experts(study)
    (document,) = upcoming(study, ann.id, 1)
    judge(study, ann.id, Entry(document["assignment"], "cannot", "c1", cannot="broken"))
    judge(study, ann.id, Entry(document["assignment"], "undo", "u1"))
    judge(study, ann.id, Entry(document["assignment"], "cannot", "c2", cannot="really"))
    attempts = [(a.attempt, a.assessor, a.state) for a in log_of(study, schema.assignment) if a.attempt > 0]
    assert attempts == [(1, ben.id, "released"), (2, ben.id, "open")]


def test_an_absent_assessor_does_not_stop_the_others(store: StudyStore) -> None:
    study = small_study(store, second_share=0.0)
    ann, ben = experts(study)
    upcoming(study, ann.id)  # a block is given out to both
    live = Live(study)
    for i in range(40):
        with store.write() as connection:
            connection.execute(schema.assessor.update().where(schema.assessor.c.id == ben.id).values(seen=0.0))
        assert grade_next(study, ann, f"r{i}") is not None
    live.refresh()
    assert len(live.prefix) > 20
    assert "released" in {a.state for a in log_of(study, schema.assignment) if a.assessor == ben.id}


def test_who_has_not_joined_gets_nothing(store: StudyStore) -> None:
    study = small_study(store)
    ann = experts(study, joined=False)[0]
    arrive(study, ann.id)
    for i in range(30):
        assert grade_next(study, ann, f"r{i}") is not None
    given = log_of(study, schema.assignment)
    assert {a.assessor for a in given} == {ann.id}
    assert {a.role for a in given} <= {"first", "repeat"}


def test_shares_are_double_judged_repeated_and_adjudicated(store: StudyStore) -> None:
    study = small_study(store, experts=("ann", "ben", "cyd"), second_share=0.3, repeat_share=0.3, stop="budget:50")
    people = experts(study)
    for i in range(36):
        for number, person in enumerate(people):
            document = upcoming(study, person.id, 1)
            if document:  # cyd always says 0, so that there is something to adjudicate
                grade = "0" if number == 2 else true_grade(document[0])
                judge(study, person.id, Entry(document[0]["assignment"], "grade", f"r{i}-{number}", grade))
    given = log_of(study, schema.assignment)
    roles = Counter(a.role for a in given)
    assert roles["first"] == 50
    assert 8 <= roles["second"] <= 24
    assert roles["repeat"] >= 1
    assert roles["adjudicate"] >= 1
    by_item: dict[int, dict[str, int]] = {}
    for a in given:
        by_item.setdefault(a.item, {})[a.role] = a.assessor
    for judges in by_item.values():
        assert judges.get("second") != judges["first"]
        assert judges.get("repeat", judges["first"]) == judges["first"]
        assert judges.get("adjudicate") not in (judges["first"], judges.get("second", -1))


def test_people_at_work_at_once_never_share_an_item_in_one_role(store: StudyStore) -> None:
    study = small_study(store, experts=tuple("abcd"), second_share=0.5)
    people = experts(study)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(15):
                assert grade_next(study, people[number], f"{number}-{i}") is not None
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert failures == []
    given = Counter((a.item, a.role, a.attempt) for a in log_of(study, schema.assignment))
    assert max(given.values()) == 1
    assert len(log_of(study, schema.label)) == 60


def test_blocks_are_grouped_by_topic(store: StudyStore) -> None:
    study = small_study(store, experts=("ann",), second_share=0.0, repeat_share=0.0)
    (ann,) = experts(study)
    documents = [grade_next(study, ann, f"r{i}") for i in range(assigning.BLOCK)]
    topics = [d["topic"]["query"] for d in documents if d is not None]
    changes = 1 + sum(a != b for a, b in pairwise(topics))
    assert changes == len(set(topics))
    assert study.current().opened == assigning.BLOCK
