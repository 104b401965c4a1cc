"""Texts and charts as files, and what is said about them. Tables are `dissensus.windows.files`'."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.cli.terminal.messages import say
from dissensus.reporting.charts.theme import FORMATS, save
from dissensus.windows.files import check_file, file_name
from dissensus.work.atomic import atomic


def check_plot(plot: Path | str | None, flag: str = "--plot") -> None:
    """Refuse a chart that cannot be written, before the work is done."""
    if plot is not None:
        check_file(Path(plot), flag, FORMATS, "chart.svg")


def write_text(path: Path, text: str, more: str = "") -> None:
    """Write a text to a file, whole or not at all, and say so, with `more` of what it is."""
    with atomic(path) as file:
        file.write(text)
    say("note", f"wrote {path}{more}")


def draw(chart: Any, path: Path | None) -> None:
    """Save a chart where one was asked for, and say so."""
    if path is None:
        return

    say("note", f"wrote {save(chart, path)}")


def chart_file(plot: Path | None, measure: str, several: bool) -> Path | None:
    """The file of one measure's chart: the measure's name goes before the ending where there are several."""
    if plot is None or not several:
        return plot
    return plot.with_name(f"{plot.stem}-{file_name(measure)}{plot.suffix}")
