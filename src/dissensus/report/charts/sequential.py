"""Audits in order drawn: an interval that shrinks label by label until it is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dissensus.report.charts.theme import SERIES, TRUTH

if TYPE_CHECKING:
    import polars as pl

MOST_LOOKS = 300  # per path: a line has no use for more points


def shrinking_chart(frame: pl.DataFrame, truth: float | None = None) -> Any:
    """Bands by number of labels, from path, labels, estimate, low, high, decided; one panel per path.

    A column `panel` names the panels; without it they are "audit 1", "audit 2", …
    """
    import altair as alt
    import polars as pl

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
    return alt.layer(*layers).properties(width=200, height=220).facet(alt.Facet("panel:N", title=None), columns=3)
