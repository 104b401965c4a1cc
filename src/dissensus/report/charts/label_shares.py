"""Shares of grades, one bar per assessor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.report.charts.parts import tall, tooltips
from dissensus.report.charts.theme import LIGHT_TO_DARK

if TYPE_CHECKING:
    import polars as pl


def label_share_chart(frame: pl.DataFrame, grades: list[str]) -> Any:
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
