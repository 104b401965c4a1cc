"""Judges drawn: who agrees with whom, who gives which grade when, a judge's card, systems by two judges' orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import LIGHT_TO_DARK, SERIES, hover, line_at, tall, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType

CELL_TEXT_LIMIT = 15  # above so many assessors, cells carry no numbers


def agreement_map(frame: pl.DataFrame, order: list[str], value: str = "kappa", title: str = "κ") -> ChartType:
    """A symmetric heat map from a table assessor_a, assessor_b, n, <value>."""
    import altair as alt

    mirrored = frame.select(assessor_a="assessor_b", assessor_b="assessor_a", n="n", value=value)
    both = pl.concat([frame.select("assessor_a", "assessor_b", "n", value=value), mirrored])
    base = alt.Chart(both).encode(
        x=alt.X("assessor_b:N", sort=order, title=None, axis=alt.Axis(labelAngle=-40)),
        y=alt.Y("assessor_a:N", sort=order, title=None),
    )
    tooltip = [
        alt.Tooltip("assessor_a:N"),
        alt.Tooltip("assessor_b:N"),
        alt.Tooltip("value:Q", title=title, format=".3f"),
        alt.Tooltip("n:Q"),
    ]
    cells = base.mark_rect().encode(
        color=alt.Color("value:Q", title=title, scale=alt.Scale(domainMin=min(0.0, _least(both)))), tooltip=tooltip
    )
    size = {"step": 34 if len(order) <= CELL_TEXT_LIMIT else max(6, 560 // len(order))}
    if len(order) > CELL_TEXT_LIMIT:
        return alt.layer(cells, width=size, height=size)
    middle = (min(0.0, _least(both)) + _most(both)) / 2  # of the colours: one pair alone is the darkest of them
    words = base.mark_text(fontSize=10).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.ColorValue(**alt.condition(f"datum.value > {middle}", alt.value("white"), alt.value("#1d2125"))),
        tooltip=tooltip,
    )
    return alt.layer(cells, words, width=size, height=size)


def _least(frame: pl.DataFrame) -> float:
    least = frame["value"].fill_nan(None).min()
    return float(least) if isinstance(least, float) else 0.0


def _most(frame: pl.DataFrame) -> float:
    most = frame["value"].fill_nan(None).max()
    return float(most) if isinstance(most, float) else 1.0


def used(frame: pl.DataFrame) -> pl.DataFrame:
    """The cells of confusion matrices that say something: of grades that the reference gives, or some judge."""
    cells = frame.filter(pl.col("share").fill_null(float("nan")).is_finite())
    grades = {*cells["reference"], *cells.filter(pl.col("share") > 0)["observed"]}
    return cells.filter(pl.col("observed").is_in(list(grades)))


def confusion_map(frame: pl.DataFrame, grades: list[str], columns: int = 3) -> ChartType:
    """Confusion matrices side by side, from a table assessor, reference, observed, share, n."""
    import altair as alt

    frame = used(frame)
    base = alt.Chart().encode(
        x=alt.X("observed:N", sort=grades, title="judge says", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("reference:N", sort=grades, title="reference"),
        tooltip=tooltips("assessor:N", "reference:N", "observed:N", "share:Q|.1%", "n:Q"),
    )
    cells = base.mark_rect().encode(color=alt.Color("share:Q", title="share", scale=alt.Scale(domain=[0, 1])))
    words = base.mark_text(fontSize=10).encode(
        text=alt.Text("share:Q", format=".2f"),
        color=alt.ColorValue(**alt.condition("datum.share > 0.5", alt.value("white"), alt.value("#1d2125"))),
    )
    size = {"step": 36}
    layered = alt.layer(cells, words, data=frame, width=size, height=size)
    return layered.facet(facet=alt.Facet("assessor:N", title=None, sort=None), columns=columns)


def skill_chart(frame: pl.DataFrame) -> ChartType:
    """Agreement of every assessor with the others beyond chance, from a table assessor, kappa, low, high, looks."""
    import altair as alt

    looks = ["fine", "random", "lazy", "contrary"]
    colour = alt.Color(
        "looks:N", title=None, legend=alt.Legend(orient="top"),
        scale=alt.Scale(domain=looks, range=[SERIES[0], SERIES[1], SERIES[4], SERIES[3]]),
    )  # fmt: skip
    tooltip = hover(["assessor", "looks"], ["kappa", "low", "high"], ".3f")
    base = alt.Chart(frame).encode(
        y=alt.Y("assessor:N", sort=frame["assessor"].to_list(), title=None), color=colour, tooltip=tooltip
    )
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="agreement with the others beyond chance (κ)"), x2=alt.X2("high:Q")
    )
    points = base.mark_point(filled=True).encode(x=alt.X("kappa:Q"))
    return alt.layer(line_at(0), bars, points, width="container", height=tall(frame.height, 20))


def weight_bars(frame: pl.DataFrame, equal: float) -> ChartType:
    """Bars from a table assessor, weight; a line at `equal`, what each would weigh if all counted equally."""
    import altair as alt

    bars = (
        alt.Chart(frame)
        .mark_bar(height=12)
        .encode(
            y=alt.Y("assessor:N", sort=frame["assessor"].to_list(), title=None),
            x=alt.X("weight:Q", title="weight"),
            tooltip=hover(["assessor"], ["weight"], ".3f"),
        )
    )
    return alt.layer(bars, line_at(equal), width="container", height=tall(frame.height, 20))


def label_share_chart(frame: pl.DataFrame, grades: list[str]) -> ChartType:
    """Stacked bars from a table assessor, grade, labels, share; darker is a higher grade."""
    import altair as alt

    ramp = _spread(len(grades))
    rank = alt.Chart(frame.with_columns(step=frame["grade"].replace_strict({g: i for i, g in enumerate(grades)})))
    return (
        rank.mark_bar(height=14)
        .encode(
            y=alt.Y("assessor:N", title=None, sort=None),
            x=alt.X("share:Q", title="share of labels", axis=alt.Axis(format=".0%"), stack="zero"),
            color=alt.Color("grade:N", sort=grades, title="grade", scale=alt.Scale(domain=grades, range=ramp)),
            order=alt.Order("step:Q"),
            tooltip=tooltips("assessor:N", "grade:N", "labels:Q", "share:Q|.1%"),
        )
        .properties(width="container", height=tall(frame["assessor"].n_unique(), 20))
    )


def _spread(n: int) -> list[str]:
    """n colours from light to dark, the lightest left out: it would vanish on white."""
    colours = LIGHT_TO_DARK[1:]
    return [colours[round(i * (len(colours) - 1) / max(n - 1, 1))] for i in range(n)]


DRAWN = 24  # features of a bias chart: the largest


def bias_chart(frame: pl.DataFrame) -> ChartType:
    """Points with 95% intervals from a table feature, coefficient, low, high, adjusted; coloured where found."""
    import altair as alt

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
        x=alt.X("low:Q", title="judge's error, share of the scale (← too strict | too generous →)"), x2=alt.X2("high:Q")
    )
    points = base.mark_point(filled=True).encode(x=alt.X("coefficient:Q"))
    return alt.layer(line_at(0), bars, points, width="container", height=tall(drawn.height, 22))


def order_chart(frame: pl.DataFrame, gold: str, judge: str, measure: str) -> ChartType:
    """Every system as a point, its score by gold across and by the judge upwards."""
    import altair as alt

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


def two_orders(frame: pl.DataFrame, one: str, other: str) -> ChartType:
    """A point per run at its scores under two orders, from a table system, `one`, `other`; on the line they agree."""
    import altair as alt

    shown = frame.select("system", x=pl.col(one), y=pl.col(other)).drop_nulls()
    values = [*shown["x"], *shown["y"]]
    low, high = min(values), max(values)
    room = 0.05 * ((high - low) or 1.0)
    scale = alt.Scale(domain=[low - room, high + room], nice=False, zero=False)
    line = (
        alt.Chart(pl.DataFrame({"x": [low - room, high + room], "y": [low - room, high + room]}))
        .mark_line(strokeDash=[4, 4], color="#9AA0A6", strokeWidth=1)
        .encode(x=alt.X("x:Q", scale=scale), y=alt.Y("y:Q", scale=scale))
    )
    points = (
        alt.Chart(shown)
        .mark_circle(size=55, opacity=0.75)
        .encode(
            x=alt.X("x:Q", scale=scale, title=one),
            y=alt.Y("y:Q", scale=scale, title=other),
            tooltip=hover(["system"], ["x", "y"]),
        )
    )
    return alt.layer(line, points, width=360, height=360)
