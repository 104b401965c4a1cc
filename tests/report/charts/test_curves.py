"""Curves of precision and of attention."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks

from dissensus.report.charts.curves import attention_chart, recall_curve
from dissensus.report.charts.theme import spec


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
