"""Charts of a judge's card: biases with their intervals, and systems by gold and by the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import hover, line_at, tall
from dissensus.report.charts.theme import SERIES

if TYPE_CHECKING:
    import polars as pl


DRAWN = 24  # features of a bias chart: the largest


def bias_chart(frame: pl.DataFrame) -> Any:
    """Points with 95 % intervals from a table feature, coefficient, low, high, adjusted; coloured where found."""
    import altair as alt
    import polars as pl

    drawn = frame.filter(pl.col("low").is_not_nan()).with_columns(
        bias=pl.when(pl.col("adjusted") < 0.05).then(pl.lit("found")).otherwise(pl.lit("not found"))
    )
    drawn = drawn.sort(pl.col("coefficient").abs(), descending=True).head(DRAWN)
    order = drawn.sort("coefficient", descending=True)["feature"].to_list()
    colour = alt.Color(
        "bias:N", title="bias", legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=["found", "not found"], range=[SERIES[1], SERIES[0]]),
    )  # fmt: skip
    base = alt.Chart(drawn).encode(
        y=alt.Y("feature:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
        color=colour,
        tooltip=hover(["feature", "bias"], ["coefficient", "low", "high", "adjusted"]),
    )
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="judge's error, share of the scale (← too strict | too kind →)"), x2=alt.X2("high:Q")
    )
    points = base.mark_point(filled=True).encode(x=alt.X("coefficient:Q"))
    return (line_at(0) + bars + points).properties(width="container", height=tall(drawn.height, 22))


def order_chart(frame: pl.DataFrame, gold: str, judge: str, measure: str) -> Any:
    """Every system as a point, its score by gold across and by the judge upwards."""
    import altair as alt
    import polars as pl

    drawn = frame.select("system", by_gold=pl.col(gold), by_judge=pl.col(judge))
    return (
        alt.Chart(drawn)
        .mark_point(filled=True, size=50, color=SERIES[0])
        .encode(
            x=alt.X("by_gold:Q", title=f"{measure} by {gold}", scale=alt.Scale(zero=False)),
            y=alt.Y("by_judge:Q", title=f"{measure} by {judge}", scale=alt.Scale(zero=False)),
            tooltip=hover(["system"], ["by_gold", "by_judge"]),
        )
        .properties(width="container", height=260)
    )
