"""What the owner sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from audit_studies import MEASURE, experts, grade_next, sample, small_study, texts, truth

from dissensus.audit.closing import close_study
from dissensus.audit.overview import experts as people
from dissensus.audit.overview import overview, pace, state_of
from dissensus.audit.settings import Settings, Stop
from dissensus.audit.simulate import play
from dissensus.audit.store import Store
from dissensus.audit.study import new_study
from dissensus.errors import InputError
from dissensus.inference.sequential.result import Verdicts
from dissensus.inference.sequential.stop import Verdict


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


def verdict(state, leaning=None, labels=5):
    return Verdict(state, "a", "b", labels, -0.1, 0.2, 0.95, leaning=leaning)


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (verdict("better"), "decided"),
        (verdict("tied"), "decided"),
        (verdict("open", "a"), "leaning"),
        (verdict("open"), "cannot tell yet"),
        (verdict("open", "a", labels=0), "cannot tell yet"),
        (Verdicts((verdict("better"), verdict("open"))), "leaning"),
        (Verdicts((verdict("open"), verdict("open"))), "cannot tell yet"),
        (Verdicts((verdict("better"), verdict("precise"))), "decided"),
    ],
)
def test_three_states(given, state):
    assert state_of(given) == state


def test_what_experts_have_done_is_counted(tmp_path):
    study = small_study(Store.create(tmp_path / "study.db"))
    ann, _ = experts(study)
    for i in range(3):
        grade_next(study, ann, f"r{i}")
    first, second = people(study)
    assert (first["name"], first["judged"], first["joined"]) == ("ann", 3, True)
    assert second["judged"] == 0
    assert pace(study)["per_hour"] == 3 * 2
