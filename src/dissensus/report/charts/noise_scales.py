"""Charts of the noise study beside its curves: PRank's loss, and pNoise in theory by grades and by balance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.noise import AXES
from dissensus.report.charts.parts import tooltips

if TYPE_CHECKING:
    import polars as pl


def loss_chart(frame: pl.DataFrame) -> Any:
    """PRank's test loss against dNoise, a line per set, a panel per profile (Fig. 3)."""
    import altair as alt

    line = (
        alt.Chart(frame)
        .mark_line(point=True)
        .encode(
            x=alt.X("dnoise:Q", title=AXES["dnoise"]),
            y=alt.Y("loss:Q", title="loss on clean test labels", scale=alt.Scale(zero=False)),
            color=alt.Color("set:N", title=None, legend=alt.Legend(orient="top")),
            tooltip=tooltips("set:N", "profile:N", "dnoise:Q|.2f", "loss:Q|.4f"),
        )
        .properties(width=270, height=200)
    )
    return line.facet(column=alt.Column("profile:N", title=None))


def scale_chart(frame: pl.DataFrame, figure: str) -> Any:
    """Expected pNoise against dNoise, a line per number of grades (Fig. 7) or balance (Fig. 11)."""
    import altair as alt
    import polars as pl

    part = frame.filter(pl.col("figure") == figure)
    scales = part["scale"].unique(maintain_order=True).to_list()
    line = (
        alt.Chart(part)
        .mark_line()
        .encode(
            x=alt.X("dnoise:Q", title=AXES["dnoise"]),
            y=alt.Y("pnoise:Q", title="expected pNoise"),
            color=alt.Color("scale:N", title=None, sort=scales, legend=alt.Legend(orient="top")),
            tooltip=tooltips("set:N", "scale:N", "dnoise:Q|.2f", "pnoise:Q|.3f"),
        )
        .properties(width=190, height=160)
    )
    return line.facet(column=alt.Column("set:N", title=None), row=alt.Row("profile:N", title=None))
