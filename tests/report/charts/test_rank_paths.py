"""Ranks from one way of using the judges to the next."""

from __future__ import annotations

import polars as pl
from drawn_charts import encoding, marks

from dissensus.report.charts.rank_paths import rank_chart
from dissensus.report.charts.theme import spec


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
