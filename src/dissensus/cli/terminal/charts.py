"""Charts on their way to a file, which is named on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def draw(chart: Any, path: Path | None) -> None:
    """Save a chart where one was asked for, and say so."""
    if path is None:
        return
    from dissensus.cli.terminal.failure import say
    from dissensus.report.charts.theme import save

    say("note", f"wrote {save(chart, path)}")


def chart_file(plot: Path | None, measure: str, several: bool) -> Path | None:
    """The file of one measure's chart: the measure's name goes before the ending where there are several."""
    if plot is None or not several:
        return plot
    from dissensus.cli.terminal.output import file_name

    return plot.with_name(f"{plot.stem}-{file_name(measure)}{plot.suffix}")
