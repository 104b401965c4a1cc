"""Intervals in charts: those without an end reach the edge, and the axis says so."""

from __future__ import annotations

import math

import polars as pl
import pytest
from drawn_charts import encoding, marks, rows
from wording import phrase

from dissensus.reporting.charts.system_scores import (
    ceiling_chart,
    difference_chart,
    drawable,
    rank_chart,
    recall_curve,
    score_chart,
)
from dissensus.reporting.charts.theme import spec

INF = math.inf
SCORES = pl.DataFrame(
    {
        "system": ["a", "a", "b", "b"],
        "kind": ["naive", "corrected"] * 2,
        "score": [0.5, 0.6, 0.4, 1.4],
        "low": [0.5, 0.5, 0.4, -INF],
        "high": [0.5, 0.7, 0.4, INF],
    }
)


def test_intervals_that_end_are_drawn_as_they_are() -> None:
    frame, edges = drawable(SCORES.head(2), "score")
    assert edges is None
    assert frame["from"].to_list() == [0.5, 0.5]
    assert frame["to"].to_list() == [0.5, 0.7]


def test_intervals_without_an_end_reach_the_edges() -> None:
    frame, edges = drawable(SCORES, "score")
    assert edges == pytest.approx([0.4 - 0.15, 1.4 + 0.15])
    assert frame["from"].to_list() == pytest.approx([0.5, 0.5, 0.4, 0.25])
    assert frame["to"].to_list() == pytest.approx([0.5, 0.7, 0.4, 1.55])


def test_the_axis_says_that_a_line_has_no_end() -> None:
    spec = score_chart(SCORES, "P@10", order=["b", "a"]).to_dict()
    assert spec["layer"][0]["encoding"]["x"]["title"] == phrase("system-scores.line-no-end", "P@10")
    assert score_chart(SCORES.head(2), "P@10", order=["a"]).to_dict()["layer"][0]["encoding"]["x"]["title"] == "P@10"
    pairs = pl.DataFrame(
        {"pair": ["a − b"], "difference": [0.2], "low": [-INF], "high": [0.5], "verdict": ["undecided"]}
    )
    bars = difference_chart(pairs, "P@10").to_dict()["layer"][1]["encoding"]
    assert bars["x"]["title"] == phrase("system-scores.difference-line-no-end", "P@10")
    assert bars["x"]["scale"]["domain"][0] == pytest.approx(0.2 - 0.15 * 0.3)


def frame(n: int) -> pl.DataFrame:
    cells = [(w, f"s{i}", i + 1.0, 0.5) for w in ("ann", "truth") for i in range(n)]
    return pl.DataFrame(cells, schema=["way", "system", "rank", "score"], orient="row")


def test_ways_keep_their_order_and_rank_one_is_on_top():
    chart = rank_chart(frame(3), ["ann", "truth"], ["s1"])
    drawn = encoding(chart)
    assert marks(chart) == ["line", "point", "text"]
    assert drawn["x"]["sort"] == ["ann", "truth"]
    assert drawn["y"]["scale"] == {"domain": [0.5, 3.5], "nice": False, "reverse": True}
    assert drawn["color"]["condition"]["test"]["oneOf"] == ["s1"]


def test_systems_are_named_behind_the_last_way_unless_there_are_too_many():
    names = spec(rank_chart(frame(3), ["ann", "truth"], []))["layer"][2]
    assert names["transform"][0]["filter"]["equal"] == "truth"
    assert marks(rank_chart(frame(71), ["ann", "truth"], [])) == ["line", "point"]


def test_the_ceiling_is_a_line_over_the_bars():
    frame = pl.DataFrame({"system": ["a", "b"], "score": [0.4, 0.5], "share": [0.5, 0.625]})
    chart = ceiling_chart(frame, 0.8, "nDCG")
    assert marks(chart) == ["bar", "rule"]
    assert [r["x"] for r in rows(chart, "x")] == [0.8]
    assert encoding(chart)["y"]["sort"] == "-x"
    assert encoding(chart)["x"]["title"] == "nDCG"


def test_precision_is_drawn_along_the_ranking_not_along_recall():
    frame = pl.DataFrame({"system": ["a", "a"], "step": [1.0, 2.0], "recall": [0.5, 0.5], "precision": [1.0, 0.5]})
    chart = recall_curve(frame, "Title")
    drawn = encoding(chart)
    assert marks(chart) == ["line"]
    assert drawn["order"]["field"] == "step"
    assert drawn["x"]["scale"]["domain"] == drawn["y"]["scale"]["domain"] == [0, 1]
    assert spec(chart)["title"] == "Title"
