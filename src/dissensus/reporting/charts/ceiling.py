"""Ceilings drawn: by topic, and predicted against actual cross-judge scores (S0 Fig. 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import hover, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType

MANY_PAIRS = 8
MOST_POINTS = 4000


def topic_chart(frame: pl.DataFrame) -> ChartType:
    """Ceilings of all topics, highest first, a line per measure, from measure, topic, ceiling (assessors averaged)."""
    import altair as alt

    means = (
        frame.filter(pl.col("ceiling").is_not_nan())
        .group_by("measure", "topic", maintain_order=True)
        .agg(pl.col("ceiling").mean())
        .sort("ceiling", descending=True, maintain_order=True)
        .with_columns(place=pl.col("topic").cum_count().over("measure"))
    )
    names = frame["measure"].unique(maintain_order=True).to_list()
    return (
        alt.Chart(means)
        .mark_line(point={"size": 22, "filled": True})
        .encode(
            x=alt.X("place:Q", title="topics, highest ceiling first", scale=alt.Scale(nice=False)),
            y=alt.Y("ceiling:Q", title="ceiling", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("measure:N", sort=names, title=None, legend=alt.Legend(orient="top")),
            tooltip=tooltips("measure:N", "topic:N", "ceiling:Q|.4f"),
        )
        .properties(width=440, height=260)
    )


def cross_chart(frame: pl.DataFrame, measure: str) -> ChartType:
    """Predicted against actual scores, a panel per matrix, a point per topic and ordered pair of judges.

    From matrix, ranks, scores, topic, predicted, actual. Colours name the pairs while they are few. A panel of more
    than a few thousand points is thinned evenly.
    """
    import altair as alt

    matrices = frame["matrix"].unique(maintain_order=True).to_list()
    step = max(1, -(-frame.height // (MOST_POINTS * len(matrices))))
    data = frame.gather_every(step).with_columns(pair=pl.col("ranks") + " → " + pl.col("scores"))
    low = float(min(data["predicted"].min(), data["actual"].min()))  # type: ignore[type-var, arg-type]
    low = max(0.0, round(low * 10 - 0.5) / 10)
    domain = alt.Scale(domain=[low, 1.0], nice=False)
    pairs = data["pair"].unique(maintain_order=True).to_list()
    colour = (
        alt.Color("pair:N", sort=pairs, title="ranks → scores", legend=alt.Legend(labelLimit=260))
        if len(pairs) <= MANY_PAIRS
        else alt.value("#1F7DBF")
    )
    x = alt.X("predicted:Q", scale=domain, title=f"predicted {measure}")
    y = alt.Y("actual:Q", scale=domain, title=f"actual {measure}")
    panels = []
    for name in matrices:
        part = data.filter(pl.col("matrix") == name)
        points = (
            alt.Chart(part, title=name)
            .mark_circle(size=22, opacity=0.55 if part.height < 800 else 0.25)
            .encode(
                x=x,
                y=y,
                color=colour,
                tooltip=hover(["topic", "pair"], ["predicted", "actual"], ".3f"),
            )
        )
        ends = pl.DataFrame({"predicted": [low, 1.0], "actual": [low, 1.0]})
        diagonal = alt.Chart(ends).mark_line(strokeDash=[4, 4], strokeWidth=1, color="#8A8A8A")
        panels.append((diagonal.encode(x=x, y=y) + points).properties(width=230, height=230))
    return alt.concat(*panels, columns=2)
