"""The AWARE experiment drawn: main effects, interactions, and the estimators taken apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import SERIES, tall, tooltips

if TYPE_CHECKING:
    import altair as alt
    from altair.typing import ChartType

TITLES = {"tau_ap": "τ_ap to gold", "rmse": "RMSE to gold"}
NAMED = ("uni", "mv", "emmv", "emneu")
QUIET = "#B9C2CA"


def approach_chart(frame: pl.DataFrame, tukey: pl.DataFrame, value: str) -> ChartType:
    """Every approach's mean and range over tuple sizes, best first; full points cannot be told from the best."""
    import altair as alt

    best = tukey["groups"][0].index("X")
    top = [name for name, groups in zip(tukey["level"], tukey["groups"], strict=True) if groups[best] == "X"]
    per_size = frame.group_by("approach", "k", maintain_order=True).agg(pl.col(value).mean())
    table = (
        per_size.group_by("approach", maintain_order=True)
        .agg(mean=pl.col(value).mean(), low=pl.col(value).min(), high=pl.col(value).max())
        .with_columns(
            kind=_kind(pl.col("approach")),
            group=pl.when(pl.col("approach").is_in(top)).then(pl.lit("top group")).otherwise(pl.lit("others")),
        )
        .sort("mean", descending=value == "tau_ap", maintain_order=True)
    )
    order = table["approach"].to_list()
    colour = alt.Color(
        "kind:N", title=None, sort=["AWARE", *NAMED],
        scale=alt.Scale(domain=["AWARE", *NAMED], range=list(SERIES[:5])),
    )  # fmt: skip
    base = alt.Chart(table).encode(y=alt.Y("approach:N", sort=order, title=None), color=colour)
    bars = base.mark_rule(strokeWidth=1.5, opacity=0.5).encode(
        x=alt.X("low:Q", title=f"{TITLES[value]}: mean, and range over tuple sizes", scale=alt.Scale(zero=False)),
        x2=alt.X2("high:Q"),
    )
    words = tooltips("approach:N", "group:N", "mean:Q|.4f")
    hollow = base.transform_filter("datum.group != 'top group'").mark_point(filled=False, fill="white", strokeWidth=1.6)
    full = base.transform_filter("datum.group == 'top group'").mark_point(filled=True, size=75)
    points = [layer.encode(x=alt.X("mean:Q"), tooltip=words) for layer in (hollow, full)]
    return alt.layer(bars, *points, width=380, height=tall(table.height, 15))


def _lines(table: pl.DataFrame, x: alt.X, value: str) -> ChartType:
    """A line per approach: those with a name of their own in colour, all others in grey."""
    import altair as alt

    shown = ["sgl_rmse_msd", *NAMED]
    grey = (
        alt.Chart(table.filter(~pl.col("approach").is_in(shown)))
        .mark_line(strokeWidth=0.8, color=QUIET, opacity=0.7)
        .encode(x=x, y=_y(value), detail=alt.Detail("approach:N"))
    )
    named = (
        alt.Chart(table.filter(pl.col("approach").is_in(shown)))
        .mark_line(point=True)
        .encode(x=x, y=_y(value), color=_colour("approach", shown))
    )
    return grey + named


def size_chart(frame: pl.DataFrame, value: str) -> ChartType:
    """Means by the number of assessors merged; estimators in grey, the default one, uni, mv and the EMs in colour."""
    import altair as alt

    table = (
        frame.group_by("k", "approach", maintain_order=True).agg(pl.col(value).mean()).sort("k", maintain_order=True)
    )
    axis = alt.Axis(tickMinStep=1, format="d", labelFlush=False, grid=False)
    x = alt.X("k:Q", title="assessors merged", axis=axis, scale=alt.Scale(zero=False, nice=False, padding=8))
    return _lines(table, x, value).properties(width=420, height=260)


def interaction_chart(frame: pl.DataFrame, value: str) -> ChartType:
    """Approach by measure, and by set of systems where there are several, side by side."""
    import altair as alt

    panels = []
    for factor in ("measure", "systems"):
        if frame[factor].n_unique() < 2:
            continue
        table = frame.group_by(factor, "approach", maintain_order=True).agg(pl.col(value).mean())
        x = alt.X(f"{factor}:N", title=factor, axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.25))
        panels.append(_lines(table, x, value).properties(width=240, height=240))
    return alt.hconcat(*panels) if panels else size_chart(frame, value)


def parts_chart(frame: pl.DataFrame, value: str) -> ChartType:
    """Interactions of the estimators' parts: granularity × gap, granularity × weight, weight × gap."""
    import altair as alt

    pieces = pl.col("approach").str.split("_")
    table = frame.filter(pl.col("approach").str.count_matches("_") == 2).with_columns(
        granularity=pieces.list.get(0), gap=pieces.list.get(1), weight=pieces.list.get(2)
    )
    orders = {
        "granularity": ["sgl", "tpc"],
        "gap": ["fro", "rmse", "kld", "tau", "apc"],
        "weight": ["md", "msd", "med"],
    }
    panels = []
    for x, by in (("granularity", "gap"), ("granularity", "weight"), ("weight", "gap")):
        means = table.group_by(x, by, maintain_order=True).agg(pl.col(value).mean())
        panels.append(
            alt.Chart(means)
            .mark_line(point=True)
            .encode(
                x=alt.X(f"{x}:N", sort=orders[x], title=x, axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.3)),
                y=_y(value),
                color=_colour(by, orders[by]),
            )
            .properties(width=160, height=220)
        )
    return alt.hconcat(*panels).resolve_scale(color="independent", y="shared")


def _y(value: str) -> alt.Y:
    import altair as alt

    return alt.Y(f"{value}:Q", title=TITLES[value], scale=alt.Scale(zero=False))


def _colour(field: str, names: list[str]) -> alt.Color:
    import altair as alt

    return alt.Color(
        f"{field}:N", title=None, sort=names, scale=alt.Scale(domain=names, range=list(SERIES[: len(names)]))
    )


def _kind(approach: pl.Expr) -> pl.Expr:
    return pl.when(approach.is_in(list(NAMED))).then(approach).otherwise(pl.lit("AWARE"))
