"""Simulated judges, coverage and power drawn."""

from __future__ import annotations

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows

from dissensus.reporting.charts.correction import (
    coverage_chart,
    errors_chart,
    power_chart,
    shrinking_chart,
    simulation_chart,
)
from dissensus.reporting.charts.theme import spec


def test_the_histogram_counts_every_run_once():
    frame = pl.DataFrame({"naive": [0.301, 0.305, 0.312], "corrected": [0.5, 0.5, 0.51]})
    chart = simulation_chart(frame, 0.5)
    assert marks(chart) == ["bar", "rule", "text"]
    bars = rows(chart, "runs")
    for score in ("naive", "corrected"):
        assert sum(r["runs"] for r in bars if r["score"] == score) == 3
    first = min((r for r in bars if r["score"] == "naive"), key=lambda r: r["from"])
    assert (first["runs"], first["from"], first["to"]) == (2, pytest.approx(0.30), pytest.approx(0.31))
    assert {r["truth"] for r in rows(chart, "truth")} == {0.5}


def test_coverage_has_its_band_and_methods_in_their_order():
    frame = pl.DataFrame(
        {"setting": ["b", "a", "b"], "method": ["rectified", "naive", "naive"], "coverage": [0.95, 0.31, 0.6]}
    )
    chart = coverage_chart(frame)
    assert marks(chart) == ["rect", "point"]
    assert [(r["from"], r["to"]) for r in rows(chart, "to")] == [(pytest.approx(0.935), pytest.approx(0.965))]
    dots = encoding(chart, 1)
    assert dots["color"]["scale"]["domain"] == ["naive", "rectified"]
    assert dots["y"]["sort"] == ["b", "a"]
    assert dots["x"]["scale"]["domain"][0] == pytest.approx(0.3)


def test_the_difference_asked_for_is_a_line():
    frame = pl.DataFrame({"labels": [100, 200], "detectable": [0.1, 0.07], "se": [0.03, 0.02]})
    assert marks(power_chart(frame)) == ["line", "point"]
    assert [r["asked"] for r in rows(power_chart(frame, 0.05), "asked")] == [0.05]
    assert encoding(power_chart(frame))["x"]["axis"]["values"] == [100, 200]


def test_the_first_measure_is_drawn_a_panel_per_judge():
    frame = pl.DataFrame(
        {"judge": ["a", "b", "a"], "labels": [100, 100, 100], "method": ["naive", "pooled", "corrected"],
         "rmse": [0.1, 0.02, 0.05], "measure": ["P@10", "P@10", "AP"]}
    )  # fmt: skip
    chart = errors_chart(frame, "judge")
    assert [(r["judge"], r["rmse"]) for r in rows(chart)] == [("a", 0.1), ("b", 0.02)]
    assert spec(chart)["facet"]["field"] == "judge"
    assert marks(chart) == ["line", "point"]
    assert encoding(chart)["color"]["scale"]["domain"] == ["naive", "corrected", "pooled"]
    assert encoding(chart)["y"]["title"] == "RMSE of scores, P@10"
    assert encoding(errors_chart(frame.drop("measure"), "judge"))["y"]["title"] == "RMSE of scores"


def test_each_path_is_a_panel_and_shows_where_it_was_decided() -> None:
    looks = pl.DataFrame(
        {
            "path": [0, 0, 0, 1, 1, 1],
            "labels": [10, 20, 30] * 2,
            "estimate": [0.1] * 6,
            "low": [-0.2, -0.1, 0.01, -0.3, 0.02, 0.03],
            "high": [0.4, 0.3, 0.2] * 2,
            "decided": [False, False, True, False, True, True],
        }
    )
    rows = [row for values in spec(shrinking_chart(looks, 0.12))["datasets"].values() for row in values]
    assert {row["panel"] for row in rows} == {"audit 1", "audit 2"}
    assert [row["text"] for row in rows if row["text"]] == ["decided at 30", "decided at 20"]
