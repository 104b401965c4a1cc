"""Systems beside the ceiling, and what grades are worth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import line_at, tall, tooltips

if TYPE_CHECKING:
    import polars as pl


def ceiling_chart(frame: pl.DataFrame, ceiling: float, measure: str) -> Any:
    """Bars of scores with the ceiling as a line, from a table system, score, share."""
    import altair as alt

    tooltip = tooltips("system:N", "score:Q|.4f", "share:Q|.1%")
    bars = (
        alt.Chart(frame)
        .mark_bar(height=12)
        .encode(y=alt.Y("system:N", sort="-x", title=None), x=alt.X("score:Q", title=measure), tooltip=tooltip)
    )
    line = line_at(ceiling, strokeWidth=2, strokeDash=[5, 3], color="#D5602A")
    return (bars + line).properties(width="container", height=tall(frame.height, 20))


def weight_chart(frame: pl.DataFrame) -> Any:
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
