"""Pieces that charts share: tooltips and reference lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt


def tooltips(*fields: str) -> list[alt.Tooltip]:
    """What is shown where the pointer is: fields as charts name them, with a format behind a bar: "score:Q|.3f"."""
    import altair as alt

    parts = (field.partition("|") for field in fields)
    return [alt.Tooltip(name, format=form) if form else alt.Tooltip(name) for name, _, form in parts]


def hover(names: Sequence[str], numbers: Sequence[str] = (), format: str = ".4f") -> list[alt.Tooltip]:
    """The same for names as they are and numbers, all of one format."""
    return tooltips(*(f"{n}:N" for n in names), *(f"{n}:Q|{format}" for n in numbers))


def tall(rows: int, step: int) -> int:
    """Height of a chart with so many rows; a number, so that the width may follow the page."""
    return max(rows, 1) * step


def line_at(x: float, **style: Any) -> Any:
    """A vertical reference line."""
    import altair as alt
    import polars as pl

    dashed: dict[str, Any] = {"strokeDash": [3, 3], **style}
    return alt.Chart(pl.DataFrame({"x": [float(x)]})).mark_rule(**dashed).encode(x=alt.X("x:Q"))
