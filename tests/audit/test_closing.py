"""What a study leaves: the audit with exact probabilities, scores, agreement, and the conclusion for a mean expert."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from audit_studies import MEASURE, PAIR, experts, grade_next, log_of, sample, small_study, texts, truth

import dissensus as ds
from dissensus.audit import schema
from dissensus.audit.closing import adjudicate, close_study
from dissensus.audit.export import audit_frame, log_frame
from dissensus.audit.judging import judge, upcoming
from dissensus.audit.labelling import Entry, Refused
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.reliability import kappa, reliability
from dissensus.audit.settings import Settings, Stop
from dissensus.audit.simulate import play
from dissensus.audit.store import Store
from dissensus.audit.study import Study, new_study
from dissensus.cli import main
from dissensus.errors import InputError


@pytest.fixture
def played(tmp_path: Path) -> tuple[Study, Live]:
    study = small_study(Store.create(tmp_path / "study.db"), second_share=0.5, stop="budget:40")
    result = play(study, truth(), error=0.2, seed=1)
    assert result.stopped_at == 40
    return study, result.live


def test_the_audit_has_exact_probabilities_and_reads_back_as_a_sequence(
    played: tuple[Study, Live], tmp_path: Path
) -> None:
    study, live = played
    frame = audit_frame(study, live)
    assert frame.height == len(study.order)
    assert frame["grade"].is_not_null().to_list() == [t < 40 for t in range(frame.height)]
    tau = study.order[39].next_key
    everyone = [1 - math.exp(-r.rate * tau) for r in study.order]
    assert np.allclose(frame["inclusion"].to_numpy(), everyone, rtol=1e-12)
    expected = everyone[:40]
    frame.write_csv(tmp_path / "audit.csv")
    audit = ds.read_audit(tmp_path / "audit.csv", scale="0..3")
    assert np.allclose(sorted(audit.inclusion), sorted(expected), rtol=1e-9)  # type: ignore[type-var]
    assert audit.frame is not None  # nothing has to be guessed about documents that were not judged
    s = sample()
    again = ds.sequential(s.runs, s.judgments, audit, MEASURE, PAIR, "llm")
    assert again.labels == 40
    old, new = live.sequence.table.head(40), again.table
    for column in ("estimate", "low", "high"):
        assert np.allclose(old[column].to_numpy(), new[column].to_numpy(), atol=1e-9)


def test_pseudonyms_unless_names_are_asked_for(played: tuple[Study, Live]) -> None:
    study, live = played
    assert set(audit_frame(study, live)["assessor"].drop_nulls()) == {"assessor-1", "assessor-2"}
    assert set(audit_frame(study, live, names=True)["assessor"].drop_nulls()) == {"ann", "ben"}
    assert set(log_frame(study)["assessor"]) == {"assessor-1", "assessor-2"}


def test_closing_says_what_disagreement_does(played: tuple[Study, Live]) -> None:
    study, live = played
    closed = close_study(study, live)
    assert closed.level == 0.95  # a budget was fixed before the first label
    assert closed.labels == 40
    assert "For an average expert" in closed.summary
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
    with pytest.raises(Refused, match="closed"):
        judge(study, given.assessor, Entry(given.id, "undo", "late"))


def test_a_study_stopped_by_its_labels_gets_wider_intervals(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"), experts=("ann",))
    (ann,) = experts(study)
    live = Live(study)
    for i in range(20):
        grade_next(study, ann, f"r{i}")
    live.refresh()
    closed = close_study(study, live)
    assert closed.level > 0.99
    assert closed.stopped_by_labels
    assert closed.average is None
    assert "One expert judged" in closed.summary


def test_the_owner_can_give_a_third_view_once(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"), second_share=1.0)
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
    with pytest.raises(Refused, match="third view"):
        adjudicate(study, owner, draw, "2")
    with pytest.raises(Refused, match="do not differ"):
        adjudicate(study, owner, len(study.order), "2")


def test_nothing_can_be_exported_before_the_first_label(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"))
    with pytest.raises(InputError, match="no label along its order"):
        audit_frame(study, Live(study))


def test_what_no_expert_could_judge_is_kept(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"), experts=("ann",), repeat_share=0.0)
    (ann,) = experts(study)
    for i in range(10):
        (document,) = upcoming(study, ann.id, 1)
        fields = {"cannot": "broken"} if i == 3 else {"grade": "1"}
        action = "cannot" if i == 3 else "grade"
        judge(study, ann.id, Entry(document["assignment"], action, f"r{i}", **fields))  # type: ignore[arg-type]
    live = Live(study)
    live.refresh()
    frame = audit_frame(study, live)
    assert frame.filter(pl.col("grade") == "-1").height == 1
    assert frame["grade"].is_not_null().sum() == 10
    place = str(tmp_path / "study.db")
    assert main(["audit", "export", place, "-o", str(tmp_path / "audit.csv")]) == 0
    s = sample()
    again = ds.sequential(
        s.runs, s.judgments, ds.read_audit(tmp_path / "audit.csv", scale="0..3"), MEASURE, PAIR, "llm"
    )
    assert again.labels == 10
    last = live.sequence.table.tail(1).select("low", "high").row(0)
    assert again.table.tail(1).select("low", "high").row(0) == pytest.approx(last)


def test_kappa_is_scotts_pi() -> None:
    pairs = [("0", "0")] * 4 + [("1", "1")] * 4 + [("0", "1"), ("1", "0")]
    assert kappa(pairs) == pytest.approx(0.6)
    assert math.isnan(kappa([]))
    assert math.isnan(kappa([("1", "1")]))


def test_many_systems_are_closed_with_pooled_differences(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"), systems=None, stop="budget:60", second_share=0.2)
    result = play(study, truth(), seed=2)
    assert result.stopped_at == 60
    closed = close_study(study, result.live)
    assert closed.differences.height == 28
    assert {"difference", "pooled_difference", "pooled_low"} <= set(closed.differences.columns)
    assert "of 28 pairs are decided" in closed.summary


def test_single_scores_are_followed_to_a_width_and_corrected(tmp_path: Path) -> None:
    study = small_study(Store.create(tmp_path / "study.db"), scores=True, stop="width:0.5", second_share=0.3)
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
    assert "Corrected scores" in closed.report


def test_one_system_has_a_score_and_a_curve(tmp_path: Path) -> None:
    s = sample()
    alone = s.runs.select(systems=["crossenc"])
    with pytest.raises(InputError, match="no system wins"):
        new_study(Store.create(tmp_path / "a.db"), alone, s.judgments, Settings(MEASURE), assessor="llm")
    settings = Settings(MEASURE, stop=Stop.parse("budget:20"), experts=("ann",), seed=5)
    study = new_study(Store.create(tmp_path / "b.db"), alone, s.judgments, settings, texts(), assessor="llm")
    result = play(study, truth(), seed=1)
    assert result.stopped_at == 20
    assert len(overview(study, result.live)["curve"]) == 20
    closed = close_study(study, result.live)
    assert closed.differences.is_empty()
    assert closed.scores.height == 1
