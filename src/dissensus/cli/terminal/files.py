"""Results as files: tables, texts and charts, written beside and renamed, so that a file is whole or absent.

Tables go to .csv .tsv .parquet .json .tex .md. Several of them become one .json, .tex or .md, and otherwise `name.csv`,
`name-pairs.csv`, …
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dissensus.cli.terminal.messages import say
from dissensus.errors import OutputError

if TYPE_CHECKING:
    from dissensus.cli.terminal.output import Printout

SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".tex", ".md")


def check_output(output: Path | str | None, flag: str = "--output") -> None:
    """Refuse an output file that cannot be written, before hours are spent on what should go into it."""
    if output is not None:
        check_file(Path(output), flag, SUFFIXES, "result.csv")


def check_plot(plot: Path | str | None, flag: str = "--plot") -> None:
    """The same for a chart."""
    if plot is not None:
        from dissensus.reporting.charts.theme import FORMATS

        check_file(Path(plot), flag, FORMATS, "chart.svg")


def check_file(path: Path, flag: str, suffixes: Sequence[str], example: str) -> None:
    """Refuse a file whose ending, folder or kind will not do."""
    if path.is_dir():
        raise OutputError(f"{flag} {path} is a directory.", f"Name a file in it: {path / example}")
    if path.suffix.lower() not in suffixes:
        raise OutputError(f"{flag} {path}: the ending says the format, and this one is none of {' '.join(suffixes)}.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{flag} {path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")


def write(printout: Printout, path: Path) -> list[Path]:
    """Write tables to `path`, whole or not at all, and say so; returns the files written."""
    from dissensus.tables.spreadsheets import inert
    from dissensus.work.atomic import atomic_path

    check_output(path)
    suffix = path.suffix.lower()
    if suffix == ".json":
        write_text(path, printout.json() + "\n")
        return [path]
    if suffix in (".tex", ".md"):
        from dissensus.cli.terminal.paper_tables import paper

        write_text(path, paper(printout, suffix))
        return [path]
    written = []
    for i, (name, frame) in enumerate(printout.tables.items()):
        target = path if i == 0 else path.with_name(f"{path.stem}-{file_name(name)}{path.suffix}")
        with atomic_path(target) as temporary:
            if suffix == ".parquet":
                frame.write_parquet(temporary)
            else:
                inert(frame).write_csv(temporary, separator="\t" if suffix == ".tsv" else ",")
        written.append(target)
    for target in written:
        say("note", f"wrote {target}")
    return written


def write_text(path: Path, text: str, more: str = "") -> None:
    """Write a text to a file, whole or not at all, and say so, with `more` of what it is."""
    from dissensus.work.atomic import atomic

    with atomic(path) as file:
        file.write(text)
    say("note", f"wrote {path}{more}")


def file_name(text: str) -> str:
    """A table's name as part of a file name.

    >>> file_name("per topic: AP@10")
    'per-topic-AP-10'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-") or "table"


def draw(chart: Any, path: Path | None) -> None:
    """Save a chart where one was asked for, and say so."""
    if path is None:
        return
    from dissensus.reporting.charts.theme import save

    say("note", f"wrote {save(chart, path)}")


def chart_file(plot: Path | None, measure: str, several: bool) -> Path | None:
    """The file of one measure's chart: the measure's name goes before the ending where there are several."""
    if plot is None or not several:
        return plot
    return plot.with_name(f"{plot.stem}-{file_name(measure)}{plot.suffix}")
