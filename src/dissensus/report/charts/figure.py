"""The figures of studies, drawn: a study names a chart of this room and what it shows."""

from __future__ import annotations

import importlib
from typing import Any

from dissensus.studies.study import Figure


def draw(figure: Figure) -> Any:
    """The chart."""
    room = importlib.import_module(f"dissensus.report.charts.{figure.room}")
    return getattr(room, figure.chart)(*figure.data)
