"""Naive, rectified and pooled scores by number of audited labels: error of differences and order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.theme import SERIES

if TYPE_CHECKING:
    import polars as pl

METHODS = ("naive", "rectified", "pooled")


def gain_chart(frame: pl.DataFrame, panel: str) -> Any:
    """RMSE of differences by labels, a line per method, a panel per judge or setting (of the first measure)."""
    import altair as alt
    import polars as pl

    rows = frame
    title = "RMSE of differences"
    if "measure" in frame.columns:
        first = frame["measure"][0]
        rows, title = frame.filter(pl.col("measure") == first), f"{title}, {first}"
    colour = alt.Color(
        "method:N", title=None, scale=alt.Scale(domain=list(METHODS), range=[SERIES[2], SERIES[1], SERIES[0]])
    )
    ticks = alt.Axis(values=sorted(set(rows["labels"].to_list())), format=",")
    base = alt.Chart(rows.select(panel, "labels", "method", "rmse")).encode(
        x=alt.X("labels:Q", title="audited documents", scale=alt.Scale(type="log"), axis=ticks),
        y=alt.Y("rmse:Q", title=title),
        color=colour,
        tooltip=[panel, "method", "labels", alt.Tooltip("rmse:Q", format=".4f")],
    )
    lines = base.mark_line() + base.mark_point(filled=True, size=40)
    return lines.properties(width=200, height=180).facet(alt.Facet(f"{panel}:N", title=None), columns=3)
