"""Systems beside the ceiling, and what grades are worth."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks, rows

from dissensus.report.charts.ceiling_share import ceiling_chart, weight_chart


def test_the_ceiling_is_a_line_over_the_bars():
    frame = pl.DataFrame({"system": ["a", "b"], "score": [0.4, 0.5], "share": [0.5, 0.625]})
    chart = ceiling_chart(frame, 0.8, "nDCG")
    assert marks(chart) == ["bar", "rule"]
    assert [r["x"] for r in rows(chart, "x")] == [0.8]
    assert encoding(chart)["y"]["sort"] == "-x"
    assert encoding(chart)["x"]["title"] == "nDCG"


def test_grades_keep_their_order_beside_each_choice():
    frame = pl.DataFrame({"grade": ["2", "0", "1"], "choice": ["linear"] * 3, "weight": [1.0, 0.0, 0.5]})
    drawn = encoding(weight_chart(frame))
    assert drawn["x"]["sort"] == ["2", "0", "1"]
    assert drawn["xOffset"]["field"] == drawn["color"]["field"] == "choice"
