"""What a study leaves: the audit with exact probabilities, scores, agreement, and the conclusion for a mean expert."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from audit_studies import MEASURE, PAIR, experts, grade_next, log_of, sample, small_study, truth
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.audit import schema
from dissensus.audit.closing import adjudicate, close_study, doubts
from dissensus.audit.export import audit_frame
from dissensus.audit.judging import judge, upcoming
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.reliability import reliability
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study


@pytest.fixture
def played(tmp_path: Path) -> tuple[Study, Live]:
    study = small_study(StudyStore.create(tmp_path / "study.db"), second_share=0.5, stop="budget:40")
    result = play(study, truth(), error=0.2, seed=1)
    assert result.stopped_at == 40
    return study, result.live


def test_closing_says_what_disagreement_does(played: tuple[Study, Live]) -> None:
    study, live = played
    closed = close_study(study, live)
    assert closed.level == 0.95  # a budget was fixed before the first label
    assert closed.labels == 40
    assert phrase("audit-closing.average-expert") in closed.summary
    assert closed.average is not None
    assert closed.average.labels >= closed.verdict.labels  # type: ignore[union-attr]
    trust = closed.reliability
    assert trust.between.n >= 10
    assert trust.between.hits < trust.between.n
    assert trust.between.low < trust.between.value < trust.between.high
    assert len(trust.disputed) == trust.between.n - trust.between.hits
    assert {"system", "measure", "naive"} <= set(closed.scores.columns)
    (row,) = closed.differences.iter_rows(named=True)
    assert {row["a"], row["b"]} == set(PAIR)
    assert row["low"] < row["difference"] < row["high"]
    assert study.row.order_hash in closed.report
    given = log_of(study, schema.assignment)[0]
    with refused(Refused):
        judge(study, given.assessor, Entry(given.id, "undo", "late"))


def test_labels_that_cannot_carry_a_conclusion_are_named(tmp_path: Path, played: tuple[Study, Live]) -> None:
    """Grades copied from the judge: the check that `correct` makes is made at import and at closing, too."""
    study, live = played
    assert doubts(study, live) == []
    copied = small_study(StudyStore.create(tmp_path / "copied.db"), stop="budget:40")
    frame = copied.judgments.to_frame().select("topic", "doc", "grade")
    given = {(t, d): str(g) for t, d, g in frame.iter_rows()}
    other = play(copied, given, error=0.0, seed=1).live
    (said,) = doubts(copied, other)
    assert phrase("checks.copy") in said
    assert said in close_study(copied, other).notes


def test_a_study_stopped_by_its_labels_gets_wider_intervals(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), experts=("ann",))
    (ann,) = experts(study)
    live = Live(study)
    for i in range(20):
        grade_next(study, ann, f"r{i}")
    live.refresh()
    closed = close_study(study, live)
    assert closed.level > 0.99
    assert closed.stopped_by_labels
    assert closed.average is None
    assert phrase("cli-audit.expert-judged") in closed.summary


def test_the_owner_can_give_a_third_view_once(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), second_share=1.0)
    ann, ben = experts(study)
    owner = next(p for p in study.people() if p.role == "owner")
    for i in range(6):
        for person, grade in ((ann, "0"), (ben, "1")):
            document = upcoming(study, person.id, 1)[0]
            judge(study, person.id, Entry(document["assignment"], "grade", f"{person.name}{i}", grade))
    disputed = reliability(study).disputed
    assert disputed
    draw = disputed[0].position
    live = Live(study)
    live.refresh()
    before = live.sequence.table
    adjudicate(study, owner, draw, "2")
    assert next(d for d in reliability(study).disputed if d.position == draw).adjudicated == "2"
    live.refresh()
    assert live.sequence.table.equals(before)
    with refused(Refused):
        adjudicate(study, owner, draw, "2")
    with refused(Refused, 56):
        adjudicate(study, owner, len(study.order), "2")


def test_many_systems_are_closed_with_pooled_differences(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), systems=None, stop="budget:60", second_share=0.2)
    result = play(study, truth(), seed=2)
    assert result.stopped_at == 60
    closed = close_study(study, result.live)
    assert closed.differences.height == 28
    assert {"difference", "pooled_difference", "pooled_low"} <= set(closed.differences.columns)
    assert closed.outcome is not None
    assert len(closed.outcome.pairs) == 28
    assert closed.summary.startswith(str(closed.outcome.headline))


def test_single_scores_are_followed_to_a_width_and_corrected(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), scores=True, stop="width:0.5", second_share=0.3)
    result = play(study, truth(), error=0.0, seed=1)
    live = result.live
    state = overview(study, live)
    assert state["scores"]
    assert not state["single"]
    assert {p["state"] for p in state["pairs"]} == {"precise"}
    closed = close_study(study, live)
    true = ds.evaluate(sample().runs.select(systems=list(PAIR)), sample().truth, [MEASURE])[MEASURE].mean("topic")
    last = live.sequence.table.filter(pl.col("labels") == closed.labels)
    assert sorted(last["a"].to_list()) == sorted(PAIR)
    for row in last.iter_rows(named=True):
        assert row["b"] is None
        assert row["high"] - row["low"] <= 0.5
        assert row["low"] - 1e-9 <= float(true.sel(system=row["a"]).item()) <= row["high"] + 1e-9
    assert set(audit_frame(study, live)["covers"]) == {"scores"}
    assert {"corrected", "low", "high"} <= set(closed.scores.columns)
    assert closed.differences.height == 1
    assert phrase("audit-closing.corrected-scores") in closed.report
