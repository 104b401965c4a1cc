"""Measurement theory drawn."""

from __future__ import annotations

import polars as pl
from drawn_charts import rows

from dissensus.reporting.charts.theme import spec
from dissensus.reporting.charts.theory import balancing_chart, comparison_chart, separation_chart
from dissensus.theory.order import compare_rankings


def test_balancing_chart_keeps_undefined_lengths_as_gaps() -> None:
    frame = pl.DataFrame({"measure": ["ERR", "ERR"], "length": [4, 5], "index": [1, None]})
    drawn = rows(balancing_chart(frame))
    assert {"measure": "ERR", "length": 5, "index": None} in drawn
    assert {"length": 5, "index": 5} in drawn  # the diagonal


def test_comparison_chart_frames_the_inversions() -> None:
    frame = compare_rankings([0, 1, 1, 2, 2], [0, 1, 1, 1, 3]).to_frame()
    chart = comparison_chart(frame, "0 1 1 2 2", "0 1 1 1 3")
    assert sum(bool(row["inversion"]) for row in rows(chart)) == 3
    assert {row["cell"] for row in rows(chart)} >= {"1 > 0", "0 < 1"}
    assert len(spec(chart)["layer"]) == 3


def test_separation_chart_marks_the_balancing_index() -> None:
    frame = pl.DataFrame({"measure": ["RBP"] * 3, "rank": [0, 8, 20], "share": [1.0, 0.5, 0.05], "index": [8] * 3})
    assert len(spec(separation_chart(frame))["layer"]) == 2
