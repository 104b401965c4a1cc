"""Experts who judge by rule."""

from __future__ import annotations

import numpy as np
import pytest
from audit_studies import log_of, small_study, truth

from dissensus.audit import schema
from dissensus.audit.simulate import blurred, play
from dissensus.audit.store import StudyStore

GRADES = ("0", "1", "2", "3")


def test_an_error_is_a_neighbouring_grade_of_the_scale():
    rng = np.random.default_rng(0)
    assert {blurred(GRADES, "1", 0.0, rng) for _ in range(50)} == {"1"}
    assert {blurred(GRADES, "1", 1.0, rng) for _ in range(50)} == {"0", "2"}
    assert {blurred(GRADES, "3", 1.0, rng) for _ in range(50)} == {"2", "3"}
    wrong = np.mean([blurred(GRADES, "1", 0.2, rng) != "1" for _ in range(2000)])
    assert wrong == pytest.approx(0.2, abs=0.03)


def test_a_study_is_played_to_its_stop_and_one_seed_gives_one_play(tmp_path):
    grades = []
    for name in ("a.db", "b.db"):
        study = small_study(StudyStore.create(tmp_path / name), stop="budget:12")
        looks = []
        played = play(study, truth(), error=0.3, seed=3, watch=lambda live, looks=looks: looks.append(len(live.prefix)))
        assert played.stopped_at == 12
        assert looks == sorted(looks)
        assert played.judgments == len(log_of(study, schema.label))
        grades.append([r.grade for r in log_of(study, schema.label)])
    assert grades[0] == grades[1]


def test_experts_stop_when_they_are_told_to(tmp_path):
    study = small_study(StudyStore.create(tmp_path / "study.db"))
    played = play(study, truth(), most=6)
    assert 6 <= played.judgments <= 7
    assert played.stopped_at is None
