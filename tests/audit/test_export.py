"""The audit as a file."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from audit_studies import MEASURE, PAIR, experts, sample, small_study, truth
from refusals import refused

import dissensus as ds
from dissensus.audit.export import audit_frame, log_frame
from dissensus.audit.judging import judge, upcoming
from dissensus.audit.labelling import Entry
from dissensus.audit.live import Live
from dissensus.audit.simulate import play
from dissensus.audit.store import StudyStore
from dissensus.audit.study import Study
from dissensus.cli import main
from dissensus.errors import InputError


@pytest.fixture
def played(tmp_path: Path) -> tuple[Study, Live]:
    study = small_study(StudyStore.create(tmp_path / "study.db"), second_share=0.5, stop="budget:40")
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


def test_nothing_can_be_exported_before_the_first_label(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    with refused(InputError):
        audit_frame(study, Live(study))


def test_what_no_expert_could_judge_is_kept(tmp_path: Path) -> None:
    study = small_study(StudyStore.create(tmp_path / "study.db"), experts=("ann",), repeat_share=0.0)
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


def test_an_export_that_was_cut_off_is_refused(played: tuple[Study, Live], tmp_path: Path) -> None:
    """FINDINGS A5: half of the rows gone at a line end, exit 0."""
    frame = audit_frame(*played)
    frame.head(frame.height // 2).write_csv(tmp_path / "half.csv")
    with refused(InputError, "half.csv", frame.height // 2, frame.height):
        ds.read_audit(tmp_path / "half.csv", scale="0..3")
