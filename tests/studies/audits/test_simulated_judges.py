"""Simulated judges: pooled differences hold and gain."""

from __future__ import annotations

import polars as pl

from dissensus.studies.audits.simulated_judges import SETTINGS as JUDGES
from dissensus.studies.coverage import SETTINGS, run
from dissensus.studies.study import Request


def test_pooled_differences_hold_and_gain_under_every_judge() -> None:
    made = run(Request(seed=1, settings={**SETTINGS, "audits": 40, "labels": (200,)}))
    cells = made.tables["cells"]
    assert set(cells["setting"]) == set(JUDGES)
    corrected, pooled = (cells.filter(pl.col("method") == m) for m in ("corrected", "pooled"))
    assert ((pooled["differences"] + 2 * pooled["differences_se"]) >= 0.93).all()
    assert (pooled["wrong"] < 0.01).all()
    assert (pooled["rmse_deviations"] < 0.85 * corrected["rmse_deviations"]).all()
    assert (pooled["tau"] > corrected["tau"]).all()
    assert (pooled["apart"] > corrected["apart"]).all()
    together = made.tables["summary"]
    assert together["judges"].to_list() == [len(JUDGES)] * 3
    assert pooled["favoured"].is_between(0, 1).all()
    from dissensus.reporting.charts.correction import errors_chart

    assert "RMSE" in errors_chart(*made.figures["errors"].data).to_json()
