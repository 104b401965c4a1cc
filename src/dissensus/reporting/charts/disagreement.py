"""User disagreement drawn: how often another user says top, and what grades are worth (S1 Figs. 1–3, 5, Table 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import SERIES, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType


def probability_chart(frame: pl.DataFrame, top: str) -> ChartType:
    """p(top | grade) with its interval, from grade, p, p.low, p.high, labels, reliable; hollow where unreliable."""
    import altair as alt

    order = frame["grade"].to_list()
    named = frame.rename({"p.low": "low", "p.high": "high"})
    x = alt.X("grade:N", sort=order, title="one user said", axis=alt.Axis(labelAngle=0))
    base = alt.Chart(named.select("grade", "p", "low", "high", "labels", "reliable"))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=x, y=alt.Y("low:Q", title=f"P(another says {top})"), y2=alt.Y2("high:Q")
    )
    points = base.mark_point(size=90).encode(
        x=x,
        y=alt.Y("p:Q", scale=alt.Scale(domainMin=0)),
        fill=alt.Fill("reliable:N", scale=alt.Scale(domain=[True, False], range=["#1F7DBF", "white"]), legend=None),
        tooltip=tooltips("grade:N", "p:Q|.3f", "labels:Q|,"),
    )
    return alt.layer(bars, points, width=max(60 * len(order), 160), height=240)


def labels_chart(frame: pl.DataFrame, top: str) -> ChartType:
    """Fig. 1: p(top | grade) against the number of labels looked at, ± 1 sd, from grade, n, mean, sd, exact."""
    import altair as alt

    order = frame["grade"].unique(maintain_order=True).to_list()[::-1]
    data = frame.with_columns(low=pl.col("mean") - pl.col("sd"), high=pl.col("mean") + pl.col("sd"))
    colour = alt.Color("grade:N", sort=order, title="one user said")
    base = alt.Chart(data).encode(
        x=alt.X("n:O", title="other labels looked at per document", axis=alt.Axis(labelAngle=0)), color=colour
    )
    bars = base.mark_rule().encode(
        y=alt.Y("low:Q", title=f"P(another says {top})", scale=alt.Scale(zero=False)), y2=alt.Y2("high:Q")
    )
    points = base.mark_point(size=50).encode(
        y=alt.Y("mean:Q"),
        tooltip=tooltips("grade:N", "n:Q", "mean:Q|.3f", "sd:Q|.3f"),
    )
    exact = base.mark_line(strokeDash=[4, 3], strokeWidth=1).encode(y=alt.Y("exact:Q"))
    return alt.layer(exact, bars, points, width=420, height=260)


def users_chart(frame: pl.DataFrame) -> ChartType:
    """Fig. 5: weights counted from labels (points, ± 1 sd) and predicted from p (lines, with their interval)."""
    import altair as alt

    order = frame["grade"].unique(maintain_order=True).to_list()[::-1]
    data = frame.with_columns(down=pl.col("counted") - pl.col("sd"), up=pl.col("counted") + pl.col("sd"))
    base = alt.Chart(data).encode(
        x=alt.X("users:O", title="N users", axis=alt.Axis(labelAngle=0)),
        color=alt.Color(
            "grade:N",
            # the top grade has no curve; the others keep the colours they have in `labels_chart`
            scale=alt.Scale(domain=order, range=list(SERIES[1:] if len(order) < len(SERIES) else SERIES)),
            title="one of them said",
            legend=alt.Legend(symbolOpacity=1),
        ),
    )
    band = base.mark_area(opacity=0.18, line=False).encode(
        y=alt.Y("low:Q", title="P(at least one of N says top)"), y2=alt.Y2("high:Q")
    )
    line = base.mark_line().encode(y=alt.Y("predicted:Q"))
    bars = base.mark_rule().encode(y=alt.Y("down:Q"), y2=alt.Y2("up:Q"))
    points = base.mark_square(size=55).encode(
        y=alt.Y("counted:Q"),
        tooltip=tooltips("grade:N", "users:Q", "counted:Q|.3f", "predicted:Q|.3f"),
    )
    return alt.layer(band, line, bars, points, width=420, height=280)


def again_chart(frame: pl.DataFrame, top: str) -> ChartType:
    """Figs. 2 and 3: P(top | grade) when the same user judges again and when another does, from who, grade, p, density.

    One row per grade, all on one axis; the wider apart the two hills, the more of the disagreement is between users.
    """
    import altair as alt

    order = frame["grade"].unique(maintain_order=True).to_list()[::-1]
    return (
        alt.Chart(frame)
        .mark_area(opacity=0.6, interpolate="step")
        .encode(
            x=alt.X("p:Q", title=f"P(the second label is {top})"),
            y=alt.Y("density:Q", title=None, stack=None, axis=alt.Axis(labels=False, ticks=False, grid=False)),
            color=alt.Color("who:N", sort=["self", "other"], title="second label by", legend=alt.Legend(orient="top")),
            row=alt.Row(
                "grade:N",
                sort=order,
                title="first label",
                header=alt.Header(labelAngle=0, labelAlign="left", titleFontWeight="normal"),
            ),
            tooltip=tooltips("who:N", "grade:N", "mean:Q|.3f", "sd:Q|.3f"),
        )
        .properties(width=420, height=80)
        .resolve_scale(y="independent")
    )


def mutual_chart(frame: pl.DataFrame) -> ChartType:
    """Table 2: mean ± 1 sd over topics of one judge's ranking scored by another, from metric, mean, sd."""
    import altair as alt

    data = frame.with_columns(
        low=(pl.col("mean") - pl.col("sd")).clip(0, 1), high=(pl.col("mean") + pl.col("sd")).clip(0, 1)
    )
    y = alt.Y("metric:N", sort=frame["metric"].to_list(), title=None)
    base = alt.Chart(data)
    x = alt.X("low:Q", title="ranked by one judge, scored by another (mean ± 1 sd over topics)")
    rules = base.mark_rule(strokeWidth=2).encode(y=y, x=x, x2=alt.X2("high:Q"))
    points = base.mark_point(size=70).encode(
        y=y,
        x=alt.X("mean:Q", scale=alt.Scale(domain=[0, 1])),
        tooltip=tooltips("metric:N", "mean:Q|.3f", "sd:Q|.3f", "topics:Q"),
    )
    return alt.layer(rules, points, width=420, height=24 * frame.height)
