"""The study of pooled scores, in short: simulated judges, and a generated collection as if it were real."""

from __future__ import annotations

from dissensus.studies.pooled import SETTINGS as ASKED
from dissensus.studies.pooled import run
from dissensus.studies.study import Request


def test_the_experiment_has_tables_and_a_figure() -> None:
    asked = {**ASKED, "audits": 2, "labels": (100,)}
    made = run(Request(settings=asked))
    assert list(made.tables) == ["audits", "gain"]
    assert made.tables["audits"].height == 15
    from dissensus.report.charts.pooled import gain_chart

    frame, panel = made.figures["pooled"].data
    assert "RMSE" in gain_chart(frame, panel).to_json()
