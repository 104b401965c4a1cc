"""Click logs drawn."""

from __future__ import annotations

import polars as pl
from drawn_charts import rows

from dissensus.report.charts.clicks import dynamic_chart, stationary_chart, transition_chart
from dissensus.report.charts.theme import spec


def test_one_class_needs_no_panels_two_do() -> None:
    one = pl.DataFrame({"class": ["all"], "from": [1], "to": [1], "moves": [3], "probability": [1.0]})
    two = pl.concat([one, one.with_columns(pl.lit("navigational").alias("class"))])
    assert "facet" not in spec(transition_chart(one))
    assert spec(transition_chart(two))["facet"]["field"] == "class"
    curves = pl.DataFrame(
        {"class": ["all"] * 2, "curve": ["fitted", "stationary"], "rank": [1, 1], "value": [0.5, 0.6]}
    )
    assert "facet" not in spec(dynamic_chart(curves))


def test_stationary_chart_leaves_out_reducible_classes() -> None:
    frame = pl.DataFrame({"class": ["all", "stuck"], "rank": [1, 1], "stationary": [1.0, None]})
    assert [row["class"] for row in rows(stationary_chart(frame))] == ["all"]
