"""Label noise drawn: what reaches the pairs, in theory and in data, and what it does to rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.label_noise.forecast import AS_THEY_ARE, BALANCED, FINER
from dissensus.reporting.charts.theme import SERIES, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType

AXES = {"dnoise": "dNoise: share of labels changed", "pnoise": "pNoise: share of pairs in the wrong order"}
SHORT = {"nDCG(dcg='exp-log2')@10": "nDCG@10"}


def forecast_chart(frame: pl.DataFrame) -> ChartType:
    """pNoise against dNoise for labels as they are and otherwise, from labels, dnoise, expected, sampled.

    Lines are expectations, points are samples; the dashed line is pNoise = dNoise. With many mergings only the two best
    and the worst are drawn.
    """
    import altair as alt

    names = _few(frame)
    table = frame.filter(pl.col("labels").is_in(names))
    colour = alt.Color(
        "labels:N", title=None, sort=names, scale=alt.Scale(domain=names, range=list(SERIES[: len(names)]))
    )
    x = alt.X("dnoise:Q", title=AXES["dnoise"], axis=alt.Axis(tickCount=6, labelFlush=False))
    lines = (
        alt.Chart(table)
        .mark_line()
        .encode(
            x=x,
            y=alt.Y("expected:Q", title=AXES["pnoise"], axis=alt.Axis(tickCount=6)),
            color=colour,
            tooltip=tooltips("labels:N", "dnoise:Q", "expected:Q|.3f"),
        )
    )
    points = (
        alt.Chart(table.drop_nulls("sampled"))
        .mark_point(size=28, filled=True)
        .encode(x=x, y=alt.Y("sampled:Q"), color=colour)
    )
    top = float(frame["dnoise"].max())  # type: ignore[arg-type]
    same = alt.Chart(pl.DataFrame({"dnoise": [0.0, top], "expected": [0.0, top]})).mark_line(
        strokeDash=[4, 4], strokeWidth=1, color="#8A8A8A"
    )
    return (same.encode(x=alt.X("dnoise:Q"), y=alt.Y("expected:Q")) + lines + points).properties(width=420, height=300)


def _few(frame: pl.DataFrame) -> list[str]:
    mean = frame.group_by("labels", maintain_order=True).agg(pl.col("expected").mean()).sort("expected")
    merged = [name for name in mean["labels"] if name.startswith("merged")]
    shown = merged if len(merged) <= 4 else [*merged[:2], merged[-1]]
    have = set(frame["labels"])
    return [name for name in (AS_THEY_ARE, *shown, BALANCED, FINER) if name in have]


def degradation_chart(curves: pl.DataFrame, axis: str = "pnoise") -> ChartType:
    """Score relative to no noise against dNoise or pNoise: rankers across, measures and profiles down, a line per set.

    `curves` is `Robustness.curves()`.
    """
    import altair as alt

    measures = [c.removesuffix(".relative") for c in curves.columns if c.endswith(".relative")]
    several = curves["profile"].n_unique() > 1
    long = pl.concat(
        curves.select(
            "set",
            "ranker",
            pl.col(axis).alias("noise"),
            pl.col(f"{m}.relative").alias("relative"),
            (pl.lit(SHORT.get(m, m)) + (pl.lit(", ") + pl.col("profile") if several else pl.lit(""))).alias("row"),
        )
        for m in measures
    )
    rankers = curves["ranker"].unique(maintain_order=True).to_list()
    sets = curves["set"].unique(maintain_order=True).to_list()
    base = alt.Chart(long).encode(
        x=alt.X("noise:Q", title=None, axis=alt.Axis(values=[0, 0.2, 0.4], format=".1f")),
        y=alt.Y("relative:Q", title=None, axis=alt.Axis(format=".0%", values=[0, 0.5, 1])),
        color=alt.Color("set:N", title=None, sort=sets, legend=alt.Legend(orient="top")),
        tooltip=tooltips("set:N", "ranker:N", "noise:Q|.3f", "relative:Q|.1%"),
    )
    panel = (base.mark_line(strokeWidth=1.5) + base.mark_point(size=18, filled=True)).properties(width=104, height=84)
    return panel.facet(
        column=alt.Column("ranker:N", title=None, sort=rankers),
        row=alt.Row(
            "row:N",
            title=None,
            header=alt.Header(labelAngle=0, labelAlign="left", labelExpr="split(datum.label, ', ')"),
        ),
        spacing=10,
    ).properties(title=alt.TitleParams(f"Score relative to clean labels against {AXES[axis]}", anchor="start"))


def pair_noise_chart(theory: pl.DataFrame, curves: pl.DataFrame) -> ChartType:
    """Expected pNoise (lines) and measured (points) against dNoise, a panel per profile (Fig. 6)."""
    import altair as alt

    sets = theory["set"].unique(maintain_order=True).to_list()
    colour = alt.Color("set:N", title=None, sort=sets, scale=alt.Scale(domain=sets, range=list(SERIES[: len(sets)])))
    measured = curves.group_by(["set", "profile", "level"], maintain_order=True).agg(pl.col("dnoise", "pnoise").mean())
    panels = []
    for profile in theory["profile"].unique(maintain_order=True):
        x = alt.X("dnoise:Q", title=AXES["dnoise"], axis=alt.Axis(tickCount=6, labelFlush=False))
        lines = (
            alt.Chart(theory.filter(pl.col("profile") == profile))
            .mark_line()
            .encode(x=x, y=alt.Y("pnoise:Q", title=AXES["pnoise"], axis=alt.Axis(tickCount=6)), color=colour)
        )
        points = (
            alt.Chart(measured.filter(pl.col("profile") == profile))
            .mark_point(size=28, filled=True)
            .encode(
                x=x,
                y=alt.Y("pnoise:Q"),
                color=colour,
                tooltip=tooltips("set:N", "dnoise:Q", "pnoise:Q"),
            )
        )
        panels.append(alt.layer(lines, points, width=270, height=220, title=str(profile)))
    return alt.hconcat(*panels).resolve_scale(y="shared")


def dynamics_chart(table: pl.DataFrame) -> ChartType:
    """Mean of LambdaMART and NMCGMART by number of trees, a panel per set and measure (study dynamics)."""
    import altair as alt

    sizes = table["trees"].unique(maintain_order=True).to_list()
    long = table.unpivot(
        on=["LambdaMART", "NMCGMART"], index=["set", "trees", "measure"], variable_name="trained as", value_name="score"
    )
    base = alt.Chart(long).encode(
        x=alt.X("trees:N", sort=sizes, title="trees", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("score:Q", title=None, scale=alt.Scale(zero=False)),
        color=alt.Color("trained as:N", title=None, legend=alt.Legend(orient="top")),
        tooltip=[
            alt.Tooltip("set:N"),
            alt.Tooltip("trees:N"),
            alt.Tooltip("measure:N"),
            "trained as:N",
            alt.Tooltip("score:Q", format=".4f"),
        ],
    )
    panel = (base.mark_line() + base.mark_point(size=40, filled=True)).properties(width=220, height=180)
    return panel.facet(column=alt.Column("measure:N", title=None), row=alt.Row("set:N", title=None)).resolve_scale(
        y="independent"
    )


def loss_chart(frame: pl.DataFrame) -> ChartType:
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


def scale_chart(frame: pl.DataFrame, figure: str) -> ChartType:
    """Expected pNoise against dNoise, a line per number of grades (Fig. 7) or balance (Fig. 11)."""
    import altair as alt

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
