"""Measurement theory drawn: balancing curves, the comparison matrix, what a balancing index means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import NAIVE, SERIES, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType


def balancing_chart(frame: pl.DataFrame) -> ChartType:
    """Balancing index against run length, one line per measure (thesis Fig. 3.3), from measure, length, index.

    The dashed line is B(N) = N, a measure that does not care about ranks; gaps are lengths where it is undefined.
    """
    import altair as alt

    names = frame["measure"].unique(maintain_order=True).to_list()
    longest = int(frame["length"].max())  # type: ignore[arg-type]
    diagonal = alt.Chart(pl.DataFrame({"length": [0, longest], "index": [0, longest]})).mark_line(
        strokeDash=[4, 4], strokeWidth=1, color="#8A8A8A"
    )
    lines = (
        alt.Chart(frame)
        .mark_line(point={"size": 14, "filled": True} if frame["length"].n_unique() <= 40 else False)
        .encode(
            x=alt.X(
                "length:Q",
                title="run length N",
                axis=alt.Axis(labelFlush=False),
                scale=alt.Scale(domain=[0, longest], nice=False),
            ),
            y=alt.Y("index:Q", title="balancing index B(N)", scale=alt.Scale(domain=[0, longest], nice=False)),
            color=alt.Color("measure:N", title=None, sort=names),
            tooltip=tooltips("measure:N", "length:Q", "index:Q"),
        )
    )
    shape = diagonal.encode(x=alt.X("length:Q"), y=alt.Y("index:Q"))
    return alt.layer(shape, lines, width=420, height=340)


def comparison_chart(frame: pl.DataFrame, r: str, s: str) -> ChartType:
    """The comparison matrix of two rankings (thesis Fig. 3.2), from depth, grade, r, s, relation, inversion.

    Each cell compares how many documents at or above a grade the two rankings show down to a depth; cells that
    contradict each other are framed.
    """
    import altair as alt

    words = {"<": "fewer in r", "=": "equal", ">": "more in r"}
    table = frame.with_columns(
        pl.format("{} {} {}", pl.col("r"), pl.col("relation"), pl.col("s")).alias("cell"),
        pl.col("relation").replace_strict(words, return_dtype=pl.String).alias("compared"),
        pl.format("≥ {}", pl.col("grade")).alias("at or above"),
        pl.format("≤ {}", pl.col("depth")).alias("down to"),
    )
    columns = table["at or above"].unique(maintain_order=True).to_list()
    rows = table["down to"].unique(maintain_order=True).to_list()
    base = alt.Chart(table).encode(
        x=alt.X("at or above:N", sort=columns, title="grade", axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("down to:N", sort=rows, title="rank"),
        tooltip=["down to:N", "at or above:N", alt.Tooltip("r:Q"), alt.Tooltip("s:Q"), alt.Tooltip("relation:N")],
    )
    colours = alt.Scale(domain=list(words.values()), range=["#A9CCE8", "#F0F0F0", "#F2C3A7"])
    cells = base.mark_rect().encode(color=alt.Color("compared:N", scale=colours, title=None))
    frames = (
        base.transform_filter("datum.inversion")
        .mark_rect(filled=False, strokeWidth=2, stroke=NAIVE)
        .encode(color=alt.value("transparent"))
    )
    labels = base.mark_text(color="#222222").encode(text=alt.Text("cell:N"))
    return (cells + frames + labels).properties(
        width=64 * len(columns), height=30 * len(rows), title={"text": f"r = ({r}),  s = ({s})", "offset": 14}
    )


def separation_chart(frame: pl.DataFrame) -> ChartType:
    """Share of trials in which a t test tells two simulated runs apart (thesis Fig. 3.5).

    From measure, rank, share, index: the rank down to which the runs are equal, and the measure's balancing index.
    """
    import altair as alt

    names = frame["measure"].unique(maintain_order=True).to_list()
    lines = (
        alt.Chart(frame)
        .mark_line(point={"size": 26, "filled": True})
        .encode(
            x=alt.X(
                "rank:Q", title="the two runs are equal down to rank", axis=alt.Axis(tickMinStep=1, labelFlush=False)
            ),
            y=alt.Y("share:Q", title="found significantly different", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("measure:N", title=None, sort=names, scale=alt.Scale(range=list(SERIES))),
            tooltip=tooltips("measure:N", "rank:Q", "share:Q|.3f"),
        )
    )
    rules = (
        alt.Chart(frame.filter(frame["index"] <= frame["rank"].max()).unique("measure"))
        .mark_rule(strokeDash=[4, 3])
        .encode(x=alt.X("index:Q"), color=alt.Color("measure:N", sort=names))
    )
    return alt.layer(lines, rules, width=420, height=260)
