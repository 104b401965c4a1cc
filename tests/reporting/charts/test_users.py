"""Click logs drawn."""

from __future__ import annotations

import json

import polars as pl
from drawn_charts import rows

from dissensus.reporting.charts.theme import spec
from dissensus.reporting.charts.users import (
    correlation_chart,
    dynamic_chart,
    pool_chart,
    stationary_chart,
    transition_chart,
)


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


def test_pool_chart_has_three_panels_on_one_scale() -> None:
    names = ["AP", "MP(model='GL_AD_ID')", "MP(model='LO_OR_LID', rec=True)"]
    frame = pl.DataFrame({"measure": names * 2, "percent": [100] * 3 + [50] * 3, "tau": [1.0, 1.0, 1.0, 0.9, 0.8, 0.7]})
    drawn = spec(pool_chart(frame, "tau", "τ"))
    assert [panel["title"] for panel in drawn["hconcat"]] == [
        "other measures",
        "Markov Precision",
        "Markov Precision × recall",
    ]
    domains = {json.dumps(panel["encoding"]["y"]["scale"]["domain"]) for panel in drawn["hconcat"]}
    assert len(domains) == 1
    lines = {row["line"] for row in rows(pool_chart(frame, "tau", "τ"))}
    assert lines == {"AP", "GL_AD", "LO_OR"}


def test_correlation_chart_keeps_the_order_of_measures() -> None:
    frame = pl.DataFrame({"measure": ["b", "a"], "other": ["AP", "AP"], "tau": [0.5, 0.9]})
    assert spec(correlation_chart(frame))["layer"][0]["encoding"]["y"]["sort"] == ["b", "a"]
