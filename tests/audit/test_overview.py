"""What the owner sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_studies import MEASURE, experts, grade_next, sample, small_study, texts, truth
from refusals import refused

from dissensus.audit.closing import close_study
from dissensus.audit.judging import situation
from dissensus.audit.live import Live
from dissensus.audit.overview import experts as people
from dissensus.audit.overview import nearest, outlook, overview, pace, state_of
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import new_study
from dissensus.errors import InputError
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict
from dissensus.inference.sequential.wealth import ExactSet


def test_one_system_has_a_score_and_a_curve(tmp_path: Path) -> None:
    s = sample()
    alone = s.runs.select(systems=["crossenc"])
    with refused(InputError, 'stop="decided"'):
        new_study(StudyStore.create(tmp_path / "a.db"), alone, s.judgments, StudySettings(MEASURE), assessor="llm")
    settings = StudySettings(MEASURE, stop=Stop.parse("budget:20"), experts=("ann",), seed=5)
    study = new_study(StudyStore.create(tmp_path / "b.db"), alone, s.judgments, settings, texts(), assessor="llm")
    result = play(study, truth(), seed=1)
    assert result.stopped_at == 20
    assert len(overview(study, result.live)["curve"]) == 20
    closed = close_study(study, result.live)
    assert closed.differences.is_empty()
    assert closed.scores.height == 1


def verdict(state, leaning=None, labels=5):
    return Verdict(state, "a", "b", labels, -0.1, 0.2, 0.95, leaning=leaning)


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (verdict("better"), "decided"),
        (verdict("tied"), "decided"),
        (verdict("open", "a"), "leaning"),
        (verdict("open"), "undecided"),
        (verdict("open", "a", labels=0), "undecided"),
        (Verdicts((verdict("better"), verdict("open"))), "partly decided"),
        (Verdicts((verdict("open"), verdict("open"))), "undecided"),
        (Verdicts((verdict("better"), verdict("precise"))), "decided"),
    ],
)
def test_the_states(given, state):
    assert state_of(given) == state


def test_what_experts_have_done_is_counted(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    ann, _ = experts(study)
    for i in range(3):
        grade_next(study, ann, f"r{i}")
    first, second = people(study)
    assert (first["name"], first["judged"], first["joined"]) == ("ann", 3, True)
    assert second["judged"] == 0
    assert pace(study)["last_hour"] == 3


def test_of_several_pairs_the_one_nearest_to_a_decision_is_drawn_and_any_can_be_asked_for(tmp_path: Path) -> None:
    s = sample()
    settings = StudySettings(MEASURE, stop=Stop.parse("budget:40"), experts=("ann",), seed=5)
    few = s.runs.select(systems=["bm25", "crossenc", "dense"])
    study = new_study(StudyStore.create(tmp_path / "c.db"), few, s.judgments, settings, texts(), assessor="llm")
    live = play(study, truth(), seed=1).live
    state = overview(study, live)
    assert len(state["pairs"]) == 3
    last = state["curve"][-1]
    drawn = state["pairs"][state["drawn"]]
    assert (last["low"], last["high"]) == (drawn["low"], drawn["high"])
    ends = {(p["low"], p["high"]) for p in state["pairs"]}
    assert {(c["low"], c["high"]) for c in (overview(study, live, k)["curve"][-1] for k in range(3))} == ends
    assert overview(study, live, 99)["curve"] == []
    for k, pair in enumerate(state["pairs"]):  # the table leans to the side on which the line is drawn
        if pair["leaning"] is not None:
            assert pair["leaning"] == (
                pair["a"] if overview(study, live, k)["curve"][-1]["estimate"] > 0 else pair["b"]
            )


def test_a_budget_counts_down_and_a_forecast_is_a_range(tmp_path: Path) -> None:
    """FINDINGS B6: at 10 of 20 labels a budget audit said that 1,144 were to go."""
    budget = small_study(StudyStore.create(tmp_path / "a.db"), stop="budget:20", experts=("ann",))
    (ann,) = experts(budget)
    assert situation(budget, ann.id)["left"] == 20
    for i in range(8):
        grade_next(budget, ann, f"r{i}")
    live = Live(budget)
    live.refresh()
    assert outlook(budget, live) == {"labels": str(20 - len(live.prefix)), "text": "of a budget of 20"}
    assert situation(budget, ann.id)["left"] == 12
    open_ = small_study(StudyStore.create(tmp_path / "b.db"), experts=("ann",))
    (ann,) = experts(open_)
    live = Live(open_)
    assert outlook(open_, live)["labels"] == "–"
    for i in range(10):
        grade_next(open_, ann, f"r{i}")
    live.refresh()
    now, half = live.sequence.forecast, live.sequence.forecast_if_half
    assert now is not None
    assert half is not None
    assert half >= now
    assert outlook(open_, live)["labels"] == f"{now - 10} to {half - 10}"


def test_leaning_needs_a_set_that_excludes_zero_at_even_odds(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    seen: dict[bool, int] = {True: 0, False: 0}

    def look(live: Live) -> None:
        verdict = live.sequence.verdict
        assert isinstance(verdict, Verdict)
        if verdict.state == "open" and live.prefix:
            track = live.sequence._follower
            here = track.walk.steps(track.value)  # type: ignore[union-attr]
            low, high = ExactSet(0.5).look(here)
            if not (low <= 0 <= high):
                seen[verdict.leaning is not None] += 1
            elif len(live.prefix) < 10:  # too early for the other set to rule
                assert verdict.leaning is None

    play(study, truth(), error=0.1, seed=3, watch=look)
    assert seen[True] > 0


def test_nearest_to_a_decision() -> None:
    near, far, decided = (
        Verdict(state, "a", "b", 5, low, high, 0.95)
        for state, low, high in (("open", -0.01, 0.2), ("open", -0.1, 0.1), ("better", 0.1, 0.2))
    )
    assert nearest(Verdicts((decided, far, near))) == 2
    assert nearest(Verdicts((decided, decided))) == 0
    assert nearest(near) == 0
