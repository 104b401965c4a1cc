"""The sequence from the log: in order, out of order, after an undo, and to the bit."""

from __future__ import annotations

import random

import pytest
from audit_studies import MEASURE, PAIR, experts, grade_next, sample, small_study, truth

import dissensus as ds
from dissensus.audit.judging import judge, upcoming
from dissensus.audit.labelling import Entry
from dissensus.audit.live import Live
from dissensus.audit.store import StudyStore


def test_replay_of_the_log_gives_the_same_sequence_to_the_bit(store: StudyStore) -> None:
    study = small_study(store, second_share=0.3, repeat_share=0.2)
    people = experts(study)
    live, dice = Live(study), random.Random(1)
    for i in range(70):
        person = dice.choice(people)
        document = grade_next(study, person, f"r{i}")
        if document is not None and dice.random() < 0.1:
            judge(study, person.id, Entry(document["assignment"], "undo", f"u{i}"))
        if dice.random() < 0.7:
            live.refresh()
    live.refresh()
    replayed = Live(study)
    replayed.refresh()
    assert len(live.prefix) > 20
    assert replayed.prefix == live.prefix
    assert replayed.sequence.table.equals(live.sequence.table)
    assert replayed.sequence.forecast == live.sequence.forecast


def test_the_sequence_is_that_of_the_library(store: StudyStore) -> None:
    study = small_study(store)
    people = experts(study)
    for i in range(40):
        for n, person in enumerate(people):
            grade_next(study, person, f"r{i}-{n}")
    live = Live(study)
    live.refresh()
    s = sample()
    own = ds.Sequential(s.runs, s.judgments, MEASURE, PAIR, "llm", seed=5)
    for position in range(len(live.prefix)):
        (name,) = own.next()
        assert (study.order[position].topic, study.order[position].doc) == name
        own.add(*name, truth()[name])
    assert own.table.equals(live.sequence.table)
    assert own.decided_at == live.sequence.decided_at


def test_the_prefix_waits_for_a_gap(store: StudyStore) -> None:
    study = small_study(store, experts=("ann",), repeat_share=0.0)
    (ann,) = experts(study)
    first = study.order[0]
    documents = upcoming(study, ann.id, 10)
    held = next(d for d in documents if d["document"]["title"] == f"{first.topic} {first.doc}")
    for i, document in enumerate(documents):
        if document is not held:
            judge(study, ann.id, Entry(document["assignment"], "grade", f"r{i}", "1"))
    live = Live(study)
    assert not live.refresh()
    judge(study, ann.id, Entry(held["assignment"], "grade", "last", "1"))
    assert live.refresh()
    assert live.prefix == ["1"] * 10


def test_an_undo_behind_the_front_is_followed_again(store: StudyStore) -> None:
    study = small_study(store, experts=("ann",), repeat_share=0.0)
    (ann,) = experts(study)
    given = [grade_next(study, ann, f"r{i}", "3") for i in range(20)]
    live = Live(study)
    live.refresh()
    assert live.prefix == ["3"] * 20
    assert given[0] is not None
    judge(study, ann.id, Entry(given[0]["assignment"], "undo", "u"))
    live.refresh()
    assert len(live.prefix) < 20
    judge(study, ann.id, Entry(given[0]["assignment"], "grade", "again", "0"))
    live.refresh()
    assert sorted(live.prefix, key=str) == ["0"] + ["3"] * 19
    replayed = Live(study)
    replayed.refresh()
    assert replayed.sequence.table.equals(live.sequence.table)


@pytest.mark.parametrize("stop", ["decided", "margin:0.05", "width:0.5", "budget:25"])
def test_the_stop_rule_ends_the_work(store: StudyStore, stop: str) -> None:
    study = small_study(store, experts=("ann",), stop=stop)
    (ann,) = experts(study)
    live = Live(study)
    for i in range(len(study.order) * 2):
        live.refresh()
        if live.mark_stop() is not None or grade_next(study, ann, f"r{i}") is None:
            break
    at = live.mark_stop()
    assert at is not None
    assert study.current().stopped_at == at
    assert upcoming(study, ann.id) == []
    if stop == "budget:25":
        assert (at, len(live.prefix)) == (25, 25)
    if stop == "width:0.5":
        table = live.sequence.table
        wide = (table["high"] - table["low"]).to_list()
        assert wide[at - 1] <= 0.5 < min(wide[: at - 1])
    if stop == "decided":
        assert at == live.sequence.decided_at
