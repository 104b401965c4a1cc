"""Weights of ranks and of grades drawn."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding

from dissensus.reporting.charts.weights import attention_chart, weight_chart


def test_attention_is_a_line_per_measure():
    frame = pl.DataFrame({"measure": ["P@1", "P@1"], "rank": [1, 2], "share": [1.0, 0.0]})
    drawn = encoding(attention_chart(frame))
    assert (drawn["x"]["field"], drawn["y"]["field"], drawn["color"]["field"]) == ("rank", "share", "measure")
    assert drawn["y"]["axis"]["format"] == ".0%"


def test_grades_keep_their_order_beside_each_choice():
    frame = pl.DataFrame({"grade": ["2", "0", "1"], "choice": ["linear"] * 3, "weight": [1.0, 0.0, 0.5]})
    drawn = encoding(weight_chart(frame))
    assert drawn["x"]["sort"] == ["2", "0", "1"]
    assert drawn["xOffset"]["field"] == drawn["color"]["field"] == "choice"
