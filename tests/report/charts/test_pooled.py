"""Naive, rectified and pooled scores by number of labels."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks, rows

from dissensus.report.charts.pooled import gain_chart
from dissensus.report.charts.theme import spec


def test_the_first_measure_is_drawn_a_panel_per_judge():
    frame = pl.DataFrame(
        {"judge": ["a", "b", "a"], "labels": [100, 100, 100], "method": ["naive", "pooled", "rectified"],
         "rmse": [0.1, 0.02, 0.05], "measure": ["P@10", "P@10", "AP"]}
    )  # fmt: skip
    chart = gain_chart(frame, "judge")
    assert [(r["judge"], r["rmse"]) for r in rows(chart)] == [("a", 0.1), ("b", 0.02)]
    assert spec(chart)["facet"]["field"] == "judge"
    assert marks(chart) == ["line", "point"]
    assert encoding(chart)["color"]["scale"]["domain"] == ["naive", "rectified", "pooled"]
    assert encoding(chart)["y"]["title"] == "RMSE of differences, P@10"
    assert encoding(gain_chart(frame.drop("measure"), "judge"))["y"]["title"] == "RMSE of differences"
