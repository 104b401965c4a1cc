"""Charts of user models, Markov Precision and measurement theory: the right panels, lines and marks."""

from __future__ import annotations

import json

import polars as pl

from dissensus.report.charts.clicks import dynamic_chart, stationary_chart, transition_chart
from dissensus.report.charts.markov import correlation_chart, pool_chart
from dissensus.report.charts.theme import spec
from dissensus.report.charts.theory import balancing_chart, comparison_chart, separation_chart
from dissensus.theory.order import compare_rankings


def rows(chart: object) -> list[dict[str, object]]:
    """All data rows of a chart."""
    return [row for values in spec(chart)["datasets"].values() for row in values]  # type: ignore[arg-type]


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
