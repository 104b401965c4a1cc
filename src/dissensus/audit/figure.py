"""The interval against the labels: what the owner watched, as a chart for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MOST_POINTS = 1000


def shrinking(table: pl.DataFrame, what: str, *, zero: bool = True) -> Any:
    """A band from low to high around the estimate, by number of labels; thinned to a thousand looks."""
    import altair as alt

    rows = table.gather_every(max(1, table.height // MOST_POINTS)).select("labels", "estimate", "low", "high")
    base = alt.Chart(rows).encode(x=alt.X("labels:Q", title="labels in the committed order"))
    band = base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", title=what), y2="high:Q")
    line = base.mark_line().encode(
        y="estimate:Q",
        tooltip=[alt.Tooltip(f"{c}:Q", format="" if c == "labels" else ".4f") for c in rows.columns],
    )
    rule = [alt.Chart(rows.head(1)).mark_rule(strokeDash=[4, 3]).encode(y=alt.datum(0))] if zero else []
    return alt.layer(band, line, *rule).properties(width="container", height=300)
