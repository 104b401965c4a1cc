"""Curves: precision against recall, and what a measure's user sees at each rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import tooltips

if TYPE_CHECKING:
    import polars as pl


def recall_curve(frame: pl.DataFrame, title: str) -> Any:
    """Precision against recall, one line per system, from a table system, step, recall, precision."""
    import altair as alt

    chosen = alt.selection_point(fields=["system"], bind="legend")
    return (
        alt.Chart(frame, title=title)
        .mark_line(point={"size": 18, "filled": True}, strokeWidth=1.5)
        .encode(
            x=alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]), title="recall"),
            y=alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]), title="precision"),
            order=alt.Order("step:Q"),
            color=alt.Color("system:N", title=None),
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.1)),
            tooltip=tooltips("system:N", "step:Q", "recall:Q|.3f", "precision:Q|.3f"),
        )
        .add_params(chosen)
        .properties(width="container", height=300)
    )


def attention_chart(frame: pl.DataFrame) -> Any:
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
            opacity=alt.condition(chosen, alt.value(1.0), alt.value(0.15)),
            tooltip=tooltips("measure:N", "rank:Q", "share:Q|.1%"),
        )
        .add_params(chosen)
        .properties(width="container", height=240)
    )
