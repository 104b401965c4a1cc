"""Measurement theory drawn."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks, rows

from dissensus.report.charts.system_scores import recall_curve
from dissensus.report.charts.theme import spec
from dissensus.report.charts.theory import attention_chart, balancing_chart, comparison_chart, separation_chart
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


def test_precision_is_drawn_along_the_ranking_not_along_recall():
    frame = pl.DataFrame({"system": ["a", "a"], "step": [1.0, 2.0], "recall": [0.5, 0.5], "precision": [1.0, 0.5]})
    chart = recall_curve(frame, "Title")
    drawn = encoding(chart)
    assert marks(chart) == ["line"]
    assert drawn["order"]["field"] == "step"
    assert drawn["x"]["scale"]["domain"] == drawn["y"]["scale"]["domain"] == [0, 1]
    assert spec(chart)["title"] == "Title"


def test_attention_is_a_line_per_measure():
    frame = pl.DataFrame({"measure": ["P@1", "P@1"], "rank": [1, 2], "share": [1.0, 0.0]})
    drawn = encoding(attention_chart(frame))
    assert (drawn["x"]["field"], drawn["y"]["field"], drawn["color"]["field"]) == ("rank", "share", "measure")
    assert drawn["y"]["axis"]["format"] == ".0%"
