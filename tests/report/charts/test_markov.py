"""Markov Precision drawn."""

from __future__ import annotations

import json

import polars as pl
from drawn_charts import rows

from dissensus.report.charts.markov import correlation_chart, pool_chart
from dissensus.report.charts.theme import spec


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
