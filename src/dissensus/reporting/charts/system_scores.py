"""Systems drawn: scores with intervals or a ceiling, differences, ranks by choice, precision by recall."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from dissensus.reporting.charts.theme import CORRECTED, NAIVE, SERIES, TRUTH, hover, line_at, tall, tooltips

if TYPE_CHECKING:
    import altair as alt
    from altair.typing import ChartType

ENDLESS = " (a line to the edge has no end)"
UNDECIDED = "undecided"
WORDS = {
    "better": "better", "probably": "probably better", "equal": "identical", "within": "within the margin",
    "differ": "different, sign unknown",
}  # fmt: skip
VERDICTS = {  # the colour of every word
    "better": CORRECTED,
    "probably better": SERIES[5],
    "different, sign unknown": SERIES[3],
    UNDECIDED: "#808080",
    "within the margin": SERIES[2],
    "identical": SERIES[4],
}
KINDS = {"naive": NAIVE, "corrected": CORRECTED, "truth": TRUTH}
ENDS = {"naive": ("naive", "naive"), "corrected": ("low", "high"), "pooled": ("pooled_low", "pooled_high")}


def score_kinds(table: pl.DataFrame, *kinds: str) -> pl.DataFrame:
    """Table system, kind, score, low, high from corrected scores of a measure; naive ones without an interval.

    An interval around naive scores would look like that of the corrected ones, and is not.
    """
    return pl.concat(
        table.select("system", pl.lit(kind).alias("kind"), score=kind, low=ENDS[kind][0], high=ENDS[kind][1])
        for kind in kinds
    )


def score_chart(frame: pl.DataFrame, measure: str, *, order: list[str]) -> ChartType:
    """Points with intervals from a table system, kind, score, low, high; systems from the top in `order`."""
    import altair as alt

    kinds = frame["kind"].unique(maintain_order=True).to_list()
    colours = [KINDS.get(k, SERIES[i % len(SERIES)]) for i, k in enumerate(kinds)]
    chosen = alt.selection_point(fields=["kind"], bind="legend")
    y = alt.Y("system:N", sort=order, title=None)
    colour = alt.Color("kind:N", scale=alt.Scale(domain=kinds, range=colours), title=None, legend=_legend(kinds))
    strength = alt.OpacityValue(**alt.condition(chosen, alt.value(1.0), alt.value(0.15)))
    tooltip = hover(["system", "kind"], ["score", "low", "high"])
    frame, edges = drawable(frame, "score")
    base = alt.Chart(frame).encode(y=y, color=colour, opacity=strength, tooltip=tooltip)
    if len(kinds) > 1:
        base = base.encode(yOffset=alt.YOffset("kind:N", sort=kinds))
    scale = alt.Scale(zero=False) if edges is None else alt.Scale(domain=edges, nice=False)
    bars = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("from:Q", title=measure + (ENDLESS if edges else ""), scale=scale), x2=alt.X2("to:Q"), color=colour
    )
    points = base.mark_point(filled=True).encode(x=alt.X("score:Q", scale=scale))
    height = tall(len(order), 12 + 9 * len(kinds))
    return alt.layer(bars, points, width="container", height=height).add_params(chosen)


def drawable(frame: pl.DataFrame, point: str) -> tuple[pl.DataFrame, list[float] | None]:
    """(the table with ends `from` and `to` that can be drawn, the axis' edges where some interval has no end).

    A weak judge's intervals may be rays or the whole line: drawn as points alone they would look certain.
    """
    numbers = [v for c in (point, "low", "high") for v in frame[c].to_list() if v is not None and math.isfinite(v)]
    endless = frame.select((pl.col("low").is_infinite() | pl.col("high").is_infinite()).any()).item()
    if not endless or not numbers:
        return frame.with_columns(pl.col("low").alias("from"), pl.col("high").alias("to")), None
    room = 0.15 * ((max(numbers) - min(numbers)) or 1.0)
    edges = [min(numbers) - room, max(numbers) + room]
    ends = [pl.col(c).clip(*edges).alias(new) for c, new in (("low", "from"), ("high", "to"))]
    return frame.with_columns(ends), edges


def _legend(kinds: list[str]) -> alt.Legend | None:
    import altair as alt

    return alt.Legend(orient="top", symbolOpacity=1) if len(kinds) > 1 else None


def rank_set_chart(frame: pl.DataFrame) -> ChartType:
    """The rank of every system and the ranks it may have, from a table system, rank, low, high."""
    import altair as alt

    n = frame.height
    order = frame["system"].to_list()
    base = alt.Chart(frame).encode(
        y=alt.Y("system:N", sort=order, title=None), tooltip=hover(["system"], ["rank", "low", "high"], "d")
    )
    scale = alt.Scale(domain=[0.5, n + 0.5], nice=False)
    axis = alt.Axis(tickMinStep=1, format="d")
    bars = base.mark_rule(strokeWidth=5, opacity=0.35, strokeCap="round").encode(
        x=alt.X("low:Q", title="rank", scale=scale, axis=axis), x2=alt.X2("high:Q")
    )
    points = base.mark_point(filled=True, color=CORRECTED).encode(x=alt.X("rank:Q", scale=scale))
    return alt.layer(bars, points, width="container", height=tall(n, 14 if n > 20 else 20))


def verdict_word(kind: str) -> str:
    """The word for a kind of claim about a pair, as a chart's legend has it."""
    return WORDS.get(kind, UNDECIDED)


def difference_chart(frame: pl.DataFrame, measure: str) -> ChartType:
    """Differences with intervals around zero, from a table pair, difference, low, high, verdict."""
    import altair as alt

    present = set(frame["verdict"])
    inks = {v: c for v, c in VERDICTS.items() if v in present or v in ("better", UNDECIDED)}
    colour = alt.Color(
        "verdict:N", scale=alt.Scale(domain=list(inks), range=list(inks.values())), title=None,
        legend=alt.Legend(orient="top"),
    )  # fmt: skip
    tooltip = hover(["pair", "verdict"], ["difference", "low", "high"])
    frame, edges = drawable(frame, "difference")
    base = alt.Chart(frame).encode(
        y=alt.Y("pair:N", sort=frame["pair"].to_list(), title=None), color=colour, tooltip=tooltip
    )
    scale = alt.Scale() if edges is None else alt.Scale(domain=edges, nice=False)
    title = f"difference in {measure}" + (ENDLESS if edges else "")
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("from:Q", title=title, scale=scale), x2=alt.X2("to:Q"))
    points = base.mark_point(filled=True).encode(x=alt.X("difference:Q", scale=scale))
    return alt.layer(line_at(0), bars, points, width="container", height=tall(frame.height, 20))


def ceiling_chart(frame: pl.DataFrame, ceiling: float, measure: str) -> ChartType:
    """Bars of scores with the ceiling as a line, from a table system, score, share."""
    import altair as alt

    tooltip = tooltips("system:N", "score:Q|.4f", "share:Q|.1%")
    bars = (
        alt.Chart(frame)
        .mark_bar(height=12)
        .encode(y=alt.Y("system:N", sort="-x", title=None), x=alt.X("score:Q", title=measure), tooltip=tooltip)
    )
    line = line_at(ceiling, strokeWidth=2, strokeDash=[5, 3], color="#D5602A")
    return alt.layer(bars, line, width="container", height=tall(frame.height, 20))


def rank_chart(frame: pl.DataFrame, ways: list[str], highlight: list[str]) -> ChartType:
    """A line per system through its ranks, from a table way, system, rank, score; `highlight` names the bold ones."""
    import altair as alt

    systems = frame["system"].n_unique()
    chosen = alt.selection_point(fields=["system"], on="pointerover", nearest=True, empty=False)
    shown = alt.FieldOneOfPredicate(field="system", oneOf=highlight)
    colour = alt.ColorValue(**alt.condition(shown, alt.Color("system:N", legend=None), alt.value("#9AA0A6")))
    base = alt.Chart(frame).encode(
        x=alt.X("way:N", sort=ways, title=None, axis=alt.Axis(labelAngle=-30, grid=False)),
        y=alt.Y("rank:Q", scale=alt.Scale(reverse=True, nice=False, domain=[0.5, systems + 0.5]), title="rank",
                axis=alt.Axis(tickMinStep=1, format="d")),
        color=colour,
        tooltip=[
            *map(alt.Tooltip, ("system:N", "way:N", "rank:Q")), alt.Tooltip("score:Q", format=".4f"),
        ],
    )  # fmt: skip
    lines = base.mark_line().encode(
        detail=alt.Detail("system:N"), size=alt.SizeValue(**alt.condition(chosen, alt.value(4), alt.value(1.6))),
    )  # fmt: skip
    points = base.mark_point(filled=True, size=60).add_params(chosen)
    last = alt.FieldEqualPredicate(field="way", equal=ways[-1])
    names = (
        base.transform_filter(last)
        .mark_text(align="left", dx=8, fontSize=11 if systems <= 30 else 9)
        .encode(text=alt.Text("system:N"))
    )
    height = max(160, 22 * min(systems, 40))
    layers = (lines, points, names) if systems <= 70 else (lines, points)
    return alt.layer(*layers, width="container", height=height)


def recall_curve(frame: pl.DataFrame, title: str) -> ChartType:
    """Precision against recall, one line per system, from a table system, step, recall, precision."""
    import altair as alt

    chosen = alt.selection_point(fields=["system"], bind="legend")
    return (
        alt.Chart(frame, title=title)
        .mark_line(point={"size": 18, "filled": True}, strokeWidth=1.5)
        .encode(
            x=alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]), title="recall"),
            y=alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]), title="precision"),
            order=alt.Order("step:Q"),
            color=alt.Color("system:N", title=None),
            opacity=alt.OpacityValue(**alt.condition(chosen, alt.value(1.0), alt.value(0.1))),
            tooltip=tooltips("system:N", "step:Q", "recall:Q|.3f", "precision:Q|.3f"),
        )
        .add_params(chosen)
        .properties(width="container", height=300)
    )
