"""Pieces that charts share: tooltips and reference lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def hover(names: Sequence[str], numbers: Sequence[str] = (), format: str = ".4f") -> list[Any]:
    """Tooltip fields: names as they are, numbers formatted."""
    import altair as alt

    return [*(f"{n}:N" for n in names), *(alt.Tooltip(f"{n}:Q", format=format) for n in numbers)]


def tall(rows: int, step: int) -> int:
    """Height of a chart with so many rows; a number, so that the width may follow the page."""
    return max(rows, 1) * step


def line_at(x: float, **style: Any) -> Any:
    """A vertical reference line."""
    import altair as alt
    import polars as pl

    dashed: dict[str, Any] = {"strokeDash": [3, 3], **style}
    return alt.Chart(pl.DataFrame({"x": [float(x)]})).mark_rule(**dashed).encode(x=alt.X("x:Q"))
