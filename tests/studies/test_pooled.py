"""The study of pooled scores, in short: simulated judges, and a generated collection as if it were real."""

from __future__ import annotations

import math

import polars as pl
import pytest

from dissensus.studies.pooled import SETTINGS as ASKED
from dissensus.studies.pooled import cells, gain, run
from dissensus.studies.study import Request


def test_the_experiment_has_tables_and_a_figure() -> None:
    asked = {**ASKED, "audits": 2, "labels": (100,)}
    made = run(Request(settings=asked))
    assert list(made.tables) == ["audits", "gain"]
    assert made.tables["audits"].height == 15
    from dissensus.reporting.charts.correction import gain_chart

    frame, panel = made.figures["pooled"].data
    assert "RMSE" in gain_chart(frame, panel).to_json()


def test_gains_have_intervals_over_audits() -> None:
    row = {"setting": "s", "labels": 100, "audits": 50, "mc_error": 0.01, "covered": 0.95}
    rectified = {**row, "method": "rectified", "rmse": 0.04, "tau": 0.7, "apart": 0.2}
    rectified |= {"rmse_se": 0.004, "tau_se": 0.03, "apart_se": 0.0}
    pooled = {**row, "method": "pooled", "rmse": 0.02, "tau": 0.8, "apart": 0.3}
    pooled |= {"rmse_se": 0.0, "tau_se": 0.04, "apart_se": 0.03}
    [made] = gain(pl.DataFrame([rectified, pooled]), ("setting", "labels")).to_dicts()
    assert made["rmse_ratio"] == pytest.approx(0.5)
    assert made["rmse_ratio_high"] / 0.5 == pytest.approx(math.exp(0.196))  # a tenth of relative error
    assert (made["tau_gain_low"], made["tau_gain_high"]) == pytest.approx((0.1 - 0.098, 0.1 + 0.098))
    assert made["apart_ratio_low"] == pytest.approx(1.5 * math.exp(-0.196))
    assert made["covered_low"] == pytest.approx(0.95 - 0.0196)


def test_a_cell_fails_where_the_upper_limit_is_too_low() -> None:
    row = {"judge": "j", "measure": "m", "labels": 100, "audit": "random", "method": "rectified", "audits": 400}
    good = {**row, "refused": 0.0, "covered": 0.95, "mc_error": 0.01, "scores": 0.92, "scores_se": 0.01}
    bad = {**good, "scores": 0.9}
    none = {
        **good,
        "covered": math.nan,
        "mc_error": math.nan,
        "scores": math.nan,
        "scores_se": math.nan,
        "refused": 1.0,
    }
    made = cells(pl.DataFrame([good, bad, none, {**good, "method": "pooled"}]))
    assert made["fails"].to_list() == [False, True, None]
    assert made["scores_high"][0] == pytest.approx(0.92 + 0.0196)
