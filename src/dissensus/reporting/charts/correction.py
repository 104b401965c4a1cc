"""Judge error drawn: a simulated judge before and after correction, coverage of intervals, what audits can find.

Pooled scores by the number of labels, and an interval that shrinks label by label, are of audits, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from dissensus.reporting.charts.theme import NAIVE, SERIES, TRUTH, tooltips

if TYPE_CHECKING:
    from altair.typing import ChartType


def simulation_chart(frame: pl.DataFrame, truth: float) -> ChartType:
    """Histogram of naive and corrected scores over simulated runs (Figure 2 of the paper), from naive, corrected."""
    import altair as alt

    low = min(float(frame[c].min()) for c in ("naive", "corrected"))  # type: ignore[arg-type]
    step = 0.01
    low = step * (low // step)
    counts = (
        frame.unpivot(["naive", "corrected"], variable_name="score", value_name="value")
        .with_columns(((pl.col("value") - low) / step).floor().alias("bin"))
        .group_by("score", "bin", maintain_order=True)
        .len("runs")
        .with_columns(
            (low + pl.col("bin") * step).alias("from"),
            (low + (pl.col("bin") + 1) * step).alias("to"),
            pl.col("runs").cast(pl.Int64),
        )
    )
    colours = alt.Scale(domain=["naive", "corrected"], range=[NAIVE, SERIES[0]])
    bars = (
        alt.Chart(counts)
        .mark_bar(opacity=0.65)
        .encode(
            x=alt.X("from:Q", title="P@10", scale=alt.Scale(zero=False)),
            x2=alt.X2("to:Q"),
            y=alt.Y("runs:Q", title="simulated runs", stack=None, scale=alt.Scale(zero=True)),
            y2=alt.datum(0),
            color=alt.Color("score:N", scale=colours, title=None),
            tooltip=tooltips("score:N", "from:Q|.3f", "runs:Q"),
        )
    )
    rule = (
        alt.Chart(pl.DataFrame({"truth": [truth]}))
        .mark_rule(strokeDash=[5, 4], color="#444444")
        .encode(x=alt.X("truth:Q"))
    )
    label = rule.mark_text(align="right", dx=-6, baseline="top", y=2, color="#444444").encode(
        x=alt.X("truth:Q"), text=alt.value(f"true value {truth:g}")
    )
    return alt.layer(bars, rule, label, width=460, height=240)


def coverage_chart(frame: pl.DataFrame) -> ChartType:
    """Coverage of intervals by setting and method, from setting, method, coverage; the band is 93.5 to 96.5 %."""
    import altair as alt

    methods = [m for m in ("naive", "confusion", "rectified", "gold only", "auto") if m in frame["method"]]
    settings = frame["setting"].unique(maintain_order=True).to_list()
    low = min(0.5, 0.1 * (float(frame["coverage"].min()) // 0.1))  # type: ignore[arg-type]
    across = alt.Scale(domain=[low, 1.0], nice=False, zero=False)
    colours = alt.Scale(domain=methods, range=[NAIVE, "#8A6FB0", SERIES[0], SERIES[4], TRUTH][: len(methods)])
    shapes = alt.Scale(domain=methods, range=["cross", "square", "circle", "diamond", "triangle-up"][: len(methods)])
    band = (
        alt.Chart(pl.DataFrame({"from": [0.935], "to": [0.965]}))
        .mark_rect(opacity=0.15, color="#5B8C5A")
        .encode(x=alt.X("from:Q", scale=across), x2=alt.X2("to:Q"))
    )
    dots = (
        alt.Chart(frame)
        .mark_point(size=70, filled=True, opacity=0.9)
        .encode(
            x=alt.X(
                "coverage:Q", title="coverage of 95% intervals", scale=across,
                axis=alt.Axis(format=".0%"),
            ),
            y=alt.Y("setting:N", sort=settings, title=None),
            yOffset=alt.YOffset("method:N", sort=methods),
            color=alt.Color("method:N", scale=colours, title=None, sort=methods),
            shape=alt.Shape("method:N", scale=shapes, title=None, sort=methods),
            tooltip=tooltips("setting:N", "method:N", "coverage:Q|.3f"),
        )
    )  # fmt: skip
    return alt.layer(band, dots, width=420, height=46 * len(settings))


def power_chart(frame: pl.DataFrame, difference: float | None = None) -> ChartType:
    """Smallest difference found against audited documents, from labels, detectable; `difference` as a line."""
    import altair as alt

    base = alt.Chart(frame).encode(
        x=alt.X(
            "labels:Q",
            title="audited documents",
            scale=alt.Scale(type="log", nice=False, padding=12),
            axis=alt.Axis(values=frame["labels"].to_list(), labelFlush=False),
        ),
        y=alt.Y("detectable:Q", title="smallest difference found", scale=alt.Scale(zero=True)),
        tooltip=tooltips("labels:Q", "detectable:Q|.4f", "se:Q|.4f"),
    )
    chart = base.mark_line(color=SERIES[0]) + base.mark_point(color=SERIES[0], filled=True, size=50)
    if difference is not None:
        asked = alt.Chart(pl.DataFrame({"asked": [difference]}))
        chart = chart + asked.mark_rule(strokeDash=[5, 4], color=NAIVE).encode(y=alt.Y("asked:Q"))
    return chart.properties(width=420, height=240)


METHODS = ("naive", "corrected", "pooled")


def errors_chart(frame: pl.DataFrame, panel: str) -> ChartType:
    """RMSE of scores by labels, a line per method, a panel per judge; of the first measure, design and target."""
    import altair as alt

    rows = frame
    title = "RMSE of scores"
    if "measure" in frame.columns:
        title = f"{title}, {frame['measure'][0]}"
    for name in ("measure", "design", "target"):
        if name in frame.columns:
            rows = rows.filter(pl.col(name) == frame[name][0])
    colour = alt.Color(
        "method:N", title=None, scale=alt.Scale(domain=list(METHODS), range=[SERIES[2], SERIES[1], SERIES[0]])
    )
    ticks = alt.Axis(values=sorted(set(rows["labels"].to_list())), format=",")
    base = alt.Chart(rows.select(panel, "labels", "method", "rmse")).encode(
        x=alt.X("labels:Q", title="audited documents", scale=alt.Scale(type="log"), axis=ticks),
        y=alt.Y("rmse:Q", title=title),
        color=colour,
        tooltip=[panel, "method", "labels", alt.Tooltip("rmse:Q", format=".4f")],
    )
    lines = base.mark_line() + base.mark_point(filled=True, size=40)
    return lines.properties(width=200, height=180).facet(alt.Facet(f"{panel}:N", title=None), columns=3)


MOST_LOOKS = 300  # per path: a line has no use for more points


def shrinking_chart(frame: pl.DataFrame, truth: float | None = None) -> ChartType:
    """Bands by number of labels, from path, labels, estimate, low, high, decided; one panel per path.

    A column `panel` names the panels; without it they are "audit 1", "audit 2", …
    """
    import altair as alt

    last = frame.select(pl.col("labels").max()).item()
    step = max(int(last) // MOST_LOOKS, 1)
    deciding = pl.col("decided") & (pl.col("labels") == pl.col("labels").filter("decided").min().over("path"))
    title = pl.col("panel") if "panel" in frame.columns else pl.format("audit {}", pl.col("path") + 1)
    rows = frame.with_columns(
        panel=title,
        text=pl.when(deciding).then(pl.format("decided at {}", "labels")),
    ).filter((pl.col("labels") % step == 0) | pl.col("text").is_not_null())
    edge = float(rows.select(pl.max_horizontal(pl.col("low").abs(), pl.col("high").abs()).quantile(0.9)).item())
    y = alt.Scale(domain=[-edge, edge], clamp=True, nice=False)
    base = alt.Chart(rows).encode(x=alt.X("labels:Q", title="labels"))
    band = base.mark_area(opacity=0.25, color=SERIES[0], clip=True).encode(
        y=alt.Y("low:Q", title="difference", scale=y), y2=alt.Y2("high:Q")
    )
    line = base.mark_line(color=SERIES[0], strokeWidth=1.5, clip=True).encode(y=alt.Y("estimate:Q", scale=y))
    layers = [band, line, base.mark_rule(color="#808080").encode(x=alt.X(), y=alt.datum(0.0))]
    if truth is not None:
        layers.append(base.mark_rule(color=TRUTH, strokeDash=[5, 4]).encode(x=alt.X(), y=alt.datum(truth)))
    decision = base.transform_filter("datum.text != null")
    layers.append(decision.mark_rule(color=SERIES[1]))
    sides: list[tuple[Literal["left", "right"], int, str]] = [("left", 4, "<="), ("right", -4, ">")]
    for side, shift, where in sides:  # where there is room
        words = decision.transform_filter(f"datum.labels {where} {int(last) // 2}")
        words = words.mark_text(align=side, dx=shift, baseline="top", color=SERIES[1])
        layers.append(words.encode(y=alt.value(4), text=alt.Text("text:N")))
    return alt.layer(*layers, width=200, height=220).facet(alt.Facet("panel:N", title=None), columns=3)
