"""A planned sample in a study: any measure, topic by topic, judged whole, and looked at once."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from audit_studies import sample, texts, truth
from wording import phrase

import dissensus as ds
from dissensus.audit.api import status_of
from dissensus.audit.closing import close_study
from dissensus.audit.export import audit_frame
from dissensus.audit.labelling import Refused
from dissensus.audit.live import Live
from dissensus.audit.overview import overview
from dissensus.audit.planned import SEEN, Planned
from dissensus.audit.settings import Stop, StudySettings
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study, new_study
from dissensus.errors import InputError

BUDGET = 110


def drawn(**given: Any) -> Any:
    s = sample()
    return ds.plan(s.runs, s.judgments, measures="nDCG@5", assessor="llm", **{"budget": BUDGET, "seed": 3, **given})


def planned(made: Any) -> Planned:
    return Planned.of(made.sample.with_columns(design=pl.lit(made.design)), made.everyone, 1)


def study_of(place: Path, made: Any) -> Study:
    s, drawn_ = sample(), planned(made)
    settings = StudySettings(
        "nDCG@5", stop=Stop("budget", drawn_.documents.height), experts=("ann", "ben"), scores=True, repeat_share=0.0
    )
    return new_study(StudyStore.create(place), s.runs, s.judgments, settings, texts(), "llm", drawn_)


def test_it_is_judged_whole_and_looked_at_once(tmp_path: Path) -> None:
    made = drawn()
    study = study_of(tmp_path / "study.db", made)
    assert len(study.order) == BUDGET
    half = play(study, truth(), error=0.0, most=40)
    assert half.stopped_at is None
    state = overview(study, half.live)
    assert (state["state"], state["curve"], state["pairs"]) == ("undecided", [], [])
    assert phrase("audit-planned.looked-at-once") in state["verdict"]
    with pytest.raises(Refused, match=phrase("audit-planned.not-judged-yet")):
        close_study(study, half.live)
    done = play(study, truth(), error=0.0, seed=1)
    assert done.stopped_at == BUDGET
    closed = close_study(study, done.live)
    graded = made.sample.with_columns(
        grade=pl.Series([truth()[t, d] for t, d in made.sample.select("topic", "doc").iter_rows()])
    )
    audit = ds.Audit.from_frame(graded, scale=study.scale, everyone=made.everyone)
    s = sample()
    table = ds.correct(s.runs, s.judgments, audit, "nDCG@5", assessor="llm", target="these_topics").table
    assert closed.scores["corrected"].to_list() == pytest.approx(table["corrected"].to_list(), nan_ok=True)
    assert str(BUDGET) in closed.summary
    assert phrase("audit-planned.looked-at-once") not in closed.summary
    assert closed.verdict.headline in closed.report
    assert overview(study, done.live)["verdict"] == SEEN
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.DissensusWarning)
        status = status_of(study)
    assert status.notes[0] == closed.verdict.headline
    assert status.facts["outcome"]["claims"]


def test_the_export_holds_the_whole_sample_with_its_design(tmp_path: Path) -> None:
    made = drawn()
    study = study_of(tmp_path / "study.db", made)
    play(study, truth(), error=0.0, most=20)
    live = Live(study)
    live.refresh()
    frame = audit_frame(study, live)
    assert frame.height == BUDGET
    assert frame["design"].unique().to_list() == [made.design]
    assert 0 < frame["grade"].is_not_null().sum() < BUDGET
    there = made.everyone.join(frame.select("topic", "doc", given="inclusion"), on=["topic", "doc"])
    assert there["given"].to_list() == there["inclusion"].to_list()


def test_the_file_of_a_closed_sample_is_an_audit_although_two_experts_shared_the_work(tmp_path: Path) -> None:
    made = drawn()
    study = study_of(tmp_path / "study.db", made)
    frame = audit_frame(study, play(study, truth(), error=0.0, seed=1).live)
    assert frame["assessor"].n_unique() == 2
    audit = ds.Audit.from_frame(frame, scale=study.scale, everyone=made.everyone)
    assert len(audit) == BUDGET
    with pytest.raises(InputError, match="assessor-1, assessor-2"):
        ds.Audit.from_frame(frame.drop("second"), scale=study.scale, everyone=made.everyone)


def test_a_topics_documents_come_together(tmp_path: Path) -> None:
    made = drawn(unit="topic", budget=400)
    topics = [row.topic for row in study_of(tmp_path / "study.db", made).order]
    changes = sum(a != b for a, b in itertools.pairwise(topics))
    assert changes == len(set(topics)) - 1
    assert changes >= 4


def test_what_is_in_a_study_is_committed(tmp_path: Path) -> None:
    study = study_of(tmp_path / "study.db", drawn())
    assert not study.seal().problems
    other = drawn(seed=4).everyone.with_columns(pl.col("inclusion") * 0.5)
    body = tmp_path / "other.parquet"
    other.write_parquet(body)
    from dissensus.audit import schema

    with study.store.write() as connection:
        changed = schema.source.update().where(schema.source.c.name == "frame").values(body=body.read_bytes())
        connection.execute(changed)
    assert any("frame" in p for p in study.seal().problems)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.with_columns(doc=pl.col("doc") + "x"), "not among the documents"),
        (lambda t: t.head(BUDGET - 2), "2 rows are missing"),
        (lambda t: t.with_columns(grade=pl.lit("1")), "holds grades"),
        (lambda t: t.drop("design"), "no column 'design'"),
        (lambda t: t.with_columns(draw=pl.lit(1)), "is a committed order"),
    ],
)
def test_what_is_not_a_whole_ungraded_sample_is_refused(change: Any, words: str) -> None:
    made = drawn()
    table = made.sample.with_columns(design=pl.lit(made.design))
    with pytest.raises(InputError, match=words):
        Planned.of(change(table), made.everyone, 1)


def test_a_sample_of_other_documents_is_refused(tmp_path: Path) -> None:
    s = sample()
    topics = s.judgments.topics[:3]
    settings = StudySettings("nDCG@5", stop=Stop("budget", BUDGET), experts=("ann",), scores=True)
    with pytest.raises(InputError, match=phrase("audit-planned.judge-graded")):
        new_study(
            StudyStore.create(tmp_path / "study.db"), s.runs.select(topics=topics), s.judgments.select(topics=topics),
            settings, None, "llm", planned(drawn()),
        )  # fmt: skip
