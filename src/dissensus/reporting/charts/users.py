"""Users drawn: how people look at result pages by their clicks, and Markov Precision beside other measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import tooltips

if TYPE_CHECKING:
    import altair as alt
    from altair.typing import ChartType


def stationary_chart(frame: pl.DataFrame) -> ChartType:
    """Stationary distribution over ranks, one line per query class (thesis Fig. 5.7), from class, rank, stationary."""
    import altair as alt

    known = frame.drop_nulls("stationary")
    return (
        alt.Chart(known)
        .mark_line(point={"size": 36, "filled": True})
        .encode(
            x=alt.X("rank:Q", title="rank", axis=_rank_axis(known)),
            y=alt.Y("stationary:Q", title="stationary probability", scale=alt.Scale(zero=True)),
            color=alt.Color("class:N", title=None, sort=known["class"].unique(maintain_order=True).to_list()),
            tooltip=tooltips("class:N", "rank:Q", "stationary:Q|.4f"),
        )
        .properties(width=380, height=260)
    )


def dynamic_chart(frame: pl.DataFrame) -> ChartType:
    """Stationary distribution, fit and DCG's discount per class (thesis Fig. 5.8), from class, curve, rank, value."""
    import altair as alt

    kinds = ["stationary", "fitted", "DCG discount"]
    colours = alt.Scale(domain=kinds, range=["#1F7DBF", "#D5602A", "#808080"])
    dashes = alt.Scale(domain=kinds, range=[[1, 0], [6, 3], [2, 2]])
    legend = alt.Legend(orient="top", symbolType="stroke", symbolSize=300)
    base = alt.Chart(frame).encode(
        x=alt.X("rank:Q", title="rank", axis=_rank_axis(frame)),
        y=alt.Y("value:Q", title="weight of the rank", scale=alt.Scale(zero=True)),
        color=alt.Color("curve:N", title=None, sort=kinds, scale=colours, legend=legend),
        strokeDash=alt.StrokeDash("curve:N", title=None, sort=kinds, scale=dashes, legend=legend),
        tooltip=tooltips("class:N", "curve:N", "rank:Q", "value:Q|.4f"),
    )
    layers = base.mark_line() + base.transform_filter("datum.curve == 'stationary'").mark_point(size=36)
    return _by_class(layers.properties(width=280, height=240), frame)


def transition_chart(frame: pl.DataFrame) -> ChartType:
    """Transition matrix as a heat map per class, from class, from, to, probability."""
    import altair as alt

    ranks = sorted(frame["from"].unique().to_list())
    side = 26 * len(ranks) if len(ranks) <= 20 else 520
    cells = (
        alt.Chart(frame)
        .mark_rect()
        .encode(
            x=alt.X("to:O", title="to rank", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("from:O", title="from rank"),
            color=alt.Color("probability:Q", title="probability", scale=alt.Scale(domainMin=0)),
            tooltip=tooltips("class:N", "from:O", "to:O", "probability:Q|.3f", "moves:Q"),
        )
        .properties(width=side, height=side)
    )
    return _by_class(cells, frame)


def _rank_axis(frame: pl.DataFrame) -> alt.Axis:
    """Ticks on whole ranks only: on short pages Vega would put some in between."""
    import altair as alt

    last = int(frame["rank"].max() or 1)  # type: ignore[arg-type]
    step = -(-last // 20)
    ticks = [1, *range(max(step, 2), last + 1, step)]
    return alt.Axis(values=ticks, format="d", labelFlush=False)


def _by_class(chart: ChartType, frame: pl.DataFrame) -> ChartType:
    """One panel per query class; a single class needs none."""
    import altair as alt

    names = frame["class"].unique(maintain_order=True).to_list()
    if len(names) == 1:
        return chart
    return chart.facet(facet=alt.Facet("class:N", title=None, sort=names), columns=3)


def correlation_chart(frame: pl.DataFrame) -> ChartType:
    """Kendall's τ between system rankings as a heat map (thesis Table 5.3), from measure, other, tau."""
    import altair as alt

    rows = frame["measure"].unique(maintain_order=True).to_list()
    columns = frame["other"].unique(maintain_order=True).to_list()
    base = alt.Chart(frame).encode(
        x=alt.X("other:N", sort=columns, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=alt.Y("measure:N", sort=rows, title=None, axis=alt.Axis(labelLimit=260)),
        tooltip=tooltips("measure:N", "other:N", "tau:Q|.4f"),
    )
    cells = base.mark_rect().encode(
        color=alt.Color("tau:Q", title="Kendall's τ", scale=alt.Scale(domain=[0.5, 1], clamp=True))
    )
    labels = base.mark_text(fontSize=10).encode(
        text=alt.Text("tau:Q", format=".3f"),
        color=alt.ColorValue(**alt.condition("datum.tau > 0.85", alt.value("white"), alt.value("#222222"))),
    )
    return alt.layer(cells, labels, width=62 * len(columns), height=22 * len(rows))


def pool_chart(frame: pl.DataFrame, value: str, title: str) -> ChartType:
    """A quantity against the share of the pool that is left (thesis Figs. 5.5, 5.6), from measure, percent, `value`.

    Three panels on one scale: the other measures, the eight Markov Precisions, and the same times recall.
    """
    import altair as alt

    walk = pl.col("measure").str.extract(r"model='(.._..)_(L?ID)'", 1)
    table = frame.with_columns(
        line=walk.fill_null(pl.col("measure")),
        jumps=pl.col("measure").str.extract(r"_(L?ID)'").fill_null("ID"),
        panel=pl.when(walk.is_null())
        .then(pl.lit("other measures"))
        .when(pl.col("measure").str.contains("rec=True"))
        .then(pl.lit("Markov Precision × recall"))
        .otherwise(pl.lit("Markov Precision")),
    )
    low, high = float(table[value].min()), float(table[value].max())  # type: ignore[arg-type]
    room = 0.04 * (high - low)
    scale = alt.Scale(domain=[max(0.0, low - room), min(1.0, high + room)], nice=False, zero=False)
    panels = []
    for i, panel in enumerate(("other measures", "Markov Precision", "Markov Precision × recall")):
        part = table.filter(pl.col("panel") == panel)
        names = part["line"].unique(maintain_order=True).to_list()
        axis = alt.Axis() if i == 0 else alt.Axis(labels=False)
        lines = (
            alt.Chart(part, title=panel)
            .mark_line(point={"size": 22, "filled": True})
            .encode(
                x=alt.X(
                    "percent:Q",
                    title="pool left (%)",
                    axis=alt.Axis(values=[100, 90, 70, 50, 30, 10], labelFlush=False),
                    scale=alt.Scale(reverse=True, domain=[5, 100], nice=False),
                ),
                y=alt.Y(f"{value}:Q", title=title if i == 0 else None, scale=scale, axis=axis),
                color=alt.Color(
                    "line:N", title=None, sort=names, legend=alt.Legend(orient="bottom", columns=2 if i else 3)
                ),
                tooltip=[alt.Tooltip("measure:N"), alt.Tooltip("percent:Q"), alt.Tooltip(f"{value}:Q", format=".4f")],
            )
        )
        if i:
            dashes = alt.Scale(domain=["ID", "LID"], range=[[1, 0], [4, 3]])
            legend = alt.Legend(orient="bottom", symbolType="stroke")
            lines = lines.encode(strokeDash=alt.StrokeDash("jumps:N", title=None, scale=dashes, legend=legend))
        panels.append(lines.properties(width=220, height=240))
    return alt.hconcat(*panels).resolve_scale(color="independent", strokeDash="independent")
