"""What a click log says about how people look at result pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import tooltips

if TYPE_CHECKING:
    import polars as pl


def stationary_chart(frame: pl.DataFrame) -> Any:
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


def dynamic_chart(frame: pl.DataFrame) -> Any:
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


def transition_chart(frame: pl.DataFrame) -> Any:
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


def _rank_axis(frame: pl.DataFrame) -> Any:
    """Ticks on whole ranks only: on short pages Vega would put some in between."""
    import altair as alt

    last = int(frame["rank"].max() or 1)  # type: ignore[arg-type]
    step = -(-last // 20)
    ticks = [1, *range(max(step, 2), last + 1, step)]
    return alt.Axis(values=ticks, format="d", labelFlush=False)


def _by_class(chart: Any, frame: pl.DataFrame) -> Any:
    """One panel per query class; a single class needs none."""
    import altair as alt

    names = frame["class"].unique(maintain_order=True).to_list()
    if len(names) == 1:
        return chart
    return chart.facet(facet=alt.Facet("class:N", title=None, sort=names), columns=3)
