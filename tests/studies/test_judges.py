"""The study of planted biases: strong ones are found, a fair judge is left alone."""

from __future__ import annotations

from dissensus.studies.judges import SETTINGS, run
from dissensus.studies.study import Request


def test_strong_biases_are_found_and_a_fair_judge_is_not_blamed() -> None:
    settings = {**SETTINGS, "trials": 3, "strengths": (0.0, 1.0)}
    outcome = run(Request(settings=settings, seed=1))
    table = {r["planted"]: r for r in outcome.tables["biases"].to_dicts()}
    assert table["nothing"]["found"] is None
    assert table["nothing"]["others"] <= 1 / 3
    assert all(table[kind]["found"] == 1 for kind in ("system", "length", "topic"))
    boards = {r["judge"]: r for r in outcome.tables["replaceability"].to_dicts()}
    assert boards["partial"]["passes on documents"] == 1
    assert boards["partial"]["passes on the leaderboard"] <= 1 / 3
