"""Markov Precision beside other measures: correlations, and what smaller pools do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl


def correlation_chart(frame: pl.DataFrame) -> Any:
    """Kendall's τ between system rankings as a heat map (thesis Table 5.3), from measure, other, tau."""
    import altair as alt

    rows = frame["measure"].unique(maintain_order=True).to_list()
    columns = frame["other"].unique(maintain_order=True).to_list()
    base = alt.Chart(frame).encode(
        x=alt.X("other:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("measure:N", sort=rows, title=None, axis=alt.Axis(labelLimit=260)),
        tooltip=["measure:N", "other:N", alt.Tooltip("tau:Q", format=".4f")],
    )
    cells = base.mark_rect().encode(
        color=alt.Color("tau:Q", title="Kendall's τ", scale=alt.Scale(domain=[0.5, 1], clamp=True))
    )
    labels = base.mark_text(fontSize=10).encode(
        text=alt.Text("tau:Q", format=".3f"),
        color=alt.condition("datum.tau > 0.85", alt.value("white"), alt.value("#222222")),
    )
    return (cells + labels).properties(width=62 * len(columns), height=22 * len(rows))


def pool_chart(frame: pl.DataFrame, value: str, title: str) -> Any:
    """A quantity against the share of the pool that is left (thesis Figs. 5.5, 5.6), from measure, percent, `value`."""
    import altair as alt

    names = frame["measure"].unique(maintain_order=True).to_list()
    return (
        alt.Chart(frame)
        .mark_line(point={"size": 26, "filled": True})
        .encode(
            x=alt.X("percent:Q", title="pool left (%)", scale=alt.Scale(reverse=True, domain=[0, 100])),
            y=alt.Y(f"{value}:Q", title=title, scale=alt.Scale(zero=False)),
            color=alt.Color("measure:N", title=None, sort=names, legend=alt.Legend(labelLimit=280)),
            strokeDash=alt.StrokeDash("family:N", legend=None, sort=["other", "MP"]),
            tooltip=["measure:N", "percent:Q", alt.Tooltip(f"{value}:Q", format=".4f")],
        )
        .properties(width=420, height=280)
    )
