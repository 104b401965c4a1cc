"""Weights drawn: how much of a measure lies on each rank, and what each grade is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dissensus.reporting.charts.theme import tooltips

if TYPE_CHECKING:
    import polars as pl
    from altair.typing import ChartType


def attention_chart(frame: pl.DataFrame) -> ChartType:
    """Share of a measure's weight on each rank, one line per measure, from a table measure, rank, share."""
    import altair as alt

    chosen = alt.selection_point(fields=["measure"], bind="legend")
    return (
        alt.Chart(frame)
        .mark_line(point={"size": 18, "filled": True})
        .encode(
            x=alt.X("rank:Q", title="rank", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("share:Q", title="share of attention", axis=alt.Axis(format=".0%")),
            color=alt.Color("measure:N", title=None, legend=alt.Legend(orient="top")),
            opacity=alt.OpacityValue(**alt.condition(chosen, alt.value(1.0), alt.value(0.15))),
            tooltip=tooltips("measure:N", "rank:Q", "share:Q|.1%"),
        )
        .add_params(chosen)
        .properties(width="container", height=240)
    )


def weight_chart(frame: pl.DataFrame) -> ChartType:
    """What each grade is worth under several choices, from a table grade, choice, weight."""
    import altair as alt

    grades = frame["grade"].unique(maintain_order=True).to_list()
    return (
        alt.Chart(frame)
        .mark_bar()
        .encode(
            x=alt.X("grade:N", sort=grades, title="grade", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("choice:N", sort=None),
            y=alt.Y("weight:Q", title="weight"),
            color=alt.Color("choice:N", sort=None, title=None, legend=alt.Legend(orient="top")),
            tooltip=tooltips("grade:N", "choice:N", "weight:Q|.3f"),
        )
        .properties(width="container", height=220)
    )
