"""Runs by two orders of the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import hover

if TYPE_CHECKING:
    import polars as pl


def two_orders(frame: pl.DataFrame, one: str, other: str) -> Any:
    """A point per run at its scores under two orders, from a table system, `one`, `other`; on the line they agree."""
    import altair as alt
    import polars as pl

    shown = frame.select("system", x=pl.col(one), y=pl.col(other)).drop_nulls()
    values = [*shown["x"], *shown["y"]]
    low, high = min(values), max(values)
    room = 0.05 * ((high - low) or 1.0)
    scale = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
    line = (
        alt.Chart(pl.DataFrame({"x": [low - room, high + room], "y": [low - room, high + room]}))
        .mark_line(strokeDash=[4, 4], color="#9AA0A6", strokeWidth=1)
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))
    )
    points = (
        alt.Chart(shown)
        .mark_circle(size=55, opacity=0.75)
        .encode(
            x=alt.X("x:Q", scale=scale, title=one),
            y=alt.Y("y:Q", scale=scale, title=other),
            tooltip=hover(["system"], ["x", "y"]),
        )
    )
    return (line + points).properties(width=360, height=360)
