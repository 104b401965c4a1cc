"""The way out of every command: tables to the terminal, to JSON, or to a file.

    emit(frame, json=json, output=output, title="AP by assessor", footer=["ties=trec  topics=judged (50)"])
    emit({"systems": frame, "pairs": pairs}, json=json, output=output, facts={"alpha": 0.62})

- terminal: aligned tables, numbers to four decimals, the footer below;
- `--json`: {"title", "tables": {name: [rows]}, "footer": [...], **facts}; NaN and infinities are null;
- `--output`: .csv .tsv .parquet .json .tex .md, written beside and renamed, so a file is whole or absent. Several
  tables become one .json, .tex or .md, and otherwise `name.csv`, `name-pairs.csv`, …

A terminal shows at most forty lines, unless `--all`: a screen that is read, instead of a thousand lines that are not.
Only rows are left out, and counted, with the option that shows them: remarks below a table are never cut, because they
say what the numbers rest on. The first table, which is the answer, keeps up to `MAIN` rows.
"""

from __future__ import annotations

import json as json_module
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from dissensus.cli.terminal.messages import EVERY_ROW, say, spoken
from dissensus.cli.terminal.table import Table, colours, terminal_width, text_table
from dissensus.errors import OutputError
from dissensus.results import plain

if TYPE_CHECKING:
    import polars as pl


LINES = 40
MAIN = 14  # rows that the first table keeps before the others share what is left
FEWEST = 3  # rows that a table keeps, however many tables there are
SUFFIXES = (".csv", ".tsv", ".parquet", ".json", ".tex", ".md")


def emit(
    tables: pl.DataFrame | Mapping[str, pl.DataFrame],
    *,
    json: bool = False,
    output: Path | str | None = None,
    title: str | None = None,
    footer: str | Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
    digits: int = 4,
    best: Mapping[str, bool] | None = None,
    marks: Sequence[str] = (),
    whole: bool = False,
) -> None:
    """Print tables, or write them to `output`; see the module's docstring for the forms.

    A single frame is the table named "table". `facts` are single numbers or texts that belong to the result: in JSON
    they stand beside the tables, on the terminal they are yours to put into `footer`. In papers (.tex, .md), `best`
    {column: is higher better} makes the best number of a column of the first table bold, `marks` follow row names.
    `whole` shows every row also on a terminal: lists that somebody asked for.
    """
    named = dict(tables) if isinstance(tables, Mapping) else {"table": tables}
    lines = [spoken(line) for line in ([footer] if isinstance(footer, str) else footer)]
    if output is not None:
        for path in write(
            named, Path(output), title=title, footer=lines, facts=facts, digits=digits, best=best, marks=marks
        ):
            say("note", f"wrote {path}")
    if json:
        sys.stdout.write(as_json(named, title=title, footer=lines, facts=facts) + "\n")
    elif output is None:
        sys.stdout.write(as_text(named, title=title, footer=lines, digits=digits, whole=whole))
    elif lines:
        sys.stderr.write("".join(f"{line}\n" for line in lines))


def check_output(output: Path | str | None, flag: str = "--output") -> None:
    """Refuse an output file that cannot be written, before hours are spent on what should go into it."""
    if output is not None:
        check_file(Path(output), flag, SUFFIXES, "result.csv")


def check_plot(plot: Path | str | None, flag: str = "--plot") -> None:
    """The same for a chart."""
    if plot is not None:
        from dissensus.report.charts.theme import FORMATS

        check_file(Path(plot), flag, FORMATS, "chart.svg")


def check_file(path: Path, flag: str, suffixes: Sequence[str], example: str) -> None:
    """Refuse a file whose ending, folder or kind will not do."""
    if path.is_dir():
        raise OutputError(f"{flag} {path} is a directory.", f"Name a file in it: {path / example}")
    if path.suffix.lower() not in suffixes:
        raise OutputError(f"{flag} {path}: the ending says the format, and this one is none of {' '.join(suffixes)}.")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{flag} {path}: the folder {path.parent} does not exist.", f"mkdir -p {path.parent}")


# ── the forms ──
def as_text(
    tables: Mapping[str, pl.DataFrame],
    *,
    title: str | None = None,
    footer: Sequence[str] = (),
    digits: int = 4,
    width: int | None = None,
    whole: bool = False,
) -> str:
    """Tables for people; on a terminal, tables wider than it continue below, their first columns repeated."""
    style = colours(sys.stdout)
    width = terminal_width(sys.stdout) if width is None else width
    parts = [f"{style.bold}{title}{style.off}\n"] if title else []
    shown, hidden, footer = (dict(tables), {}, list(footer)) if whole else cut(tables, footer)
    for name, frame in shown.items():
        if len(tables) > 1:
            parts.append(f"{style.bold}{name}{style.off}\n")
        parts.append(text_table(Table.of(frame, digits), width=width, style=style))
        if name in hidden:
            parts.append(f"… {hidden[name]:,} more rows: --all shows them\n")
        parts.append("\n")
    parts[-1] = ""
    if footer:
        parts.append("\n" + "".join(f"{style.dim}{line}{style.off}\n" for line in footer))
    return "".join(parts)


def as_json(
    tables: Mapping[str, pl.DataFrame],
    *,
    title: str | None = None,
    footer: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
) -> str:
    """Valid JSON (no NaN): title, tables as lists of rows, footer, facts."""
    document: dict[str, Any] = {} if title is None else {"title": title}
    document["tables"] = {name: frame.to_dicts() for name, frame in tables.items()}
    document["footer"] = list(footer)
    document.update(facts or {})
    return json_module.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False)


def as_paper(
    tables: Mapping[str, pl.DataFrame],
    form: Literal["tex", "md"],
    *,
    title: str | None = None,
    footer: Sequence[str] = (),
    digits: int = 4,
    best: Mapping[str, bool] | None = None,
    marks: Sequence[str] = (),
) -> str:
    """Booktabs tables (put \\usepackage{booktabs} into the preamble), or Markdown; the account as a note below."""
    from dissensus.cli.terminal.paper_tables import PaperTable, best_cells

    parts = []
    for i, (name, frame) in enumerate(tables.items()):
        bold = best_cells(frame, best or {}) if i == 0 else set()
        caption = title if len(tables) == 1 else name
        note = list(footer) if i == len(tables) - 1 else []
        made = PaperTable(Table.of(frame, digits), caption, bold, marks if i == 0 else (), note)
        parts.append(made.latex() if form == "tex" else made.markdown())
    return "\n".join(parts)


def write(
    tables: Mapping[str, pl.DataFrame],
    path: Path,
    *,
    title: str | None = None,
    footer: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
    digits: int = 4,
    best: Mapping[str, bool] | None = None,
    marks: Sequence[str] = (),
) -> list[Path]:
    """Write tables to `path`, whole or not at all; returns the files written."""
    from dissensus.data.tables.spreadsheets import inert
    from dissensus.work.atomic import atomic, atomic_path

    check_output(path)
    suffix = path.suffix.lower()
    if suffix in (".json", ".tex", ".md"):
        if suffix == ".json":
            text = as_json(tables, title=title, footer=footer, facts=facts) + "\n"
        else:
            form: Literal["tex", "md"] = "tex" if suffix == ".tex" else "md"
            text = as_paper(tables, form, title=title, footer=footer, digits=digits, best=best, marks=marks)
        with atomic(path) as file:
            file.write(text)
        return [path]
    written = []
    for i, (name, frame) in enumerate(tables.items()):
        target = path if i == 0 else path.with_name(f"{path.stem}-{file_name(name)}{path.suffix}")
        with atomic_path(target) as temporary:
            if suffix == ".parquet":
                frame.write_parquet(temporary)
            else:
                inert(frame).write_csv(temporary, separator="\t" if suffix == ".tsv" else ",")
        written.append(target)
    return written


def write_text(path: Path, text: str, more: str = "") -> None:
    """Write a text to a file, whole or not at all, and say so, with `more` of what it is."""
    from dissensus.work.atomic import atomic

    with atomic(path) as file:
        file.write(text)
    say("note", f"wrote {path}{more}")


def print_json(value: Any, indent: int | None = 1) -> None:
    """Facts that are plain values already, as JSON."""
    sys.stdout.write(json_module.dumps(value, ensure_ascii=False, indent=indent) + "\n")


def file_name(text: str) -> str:
    """A table's name as part of a file name.

    >>> file_name("per topic: AP@10")
    'per-topic-AP-10'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-") or "table"


def cut(
    tables: Mapping[str, pl.DataFrame], footer: Sequence[str]
) -> tuple[dict[str, pl.DataFrame], dict[str, int], list[str]]:
    """(tables with the rows that are shown, rows left out by table, remarks line by line)."""
    if EVERY_ROW.get():
        return dict(tables), {}, list(footer)
    lines = [line for text in footer for line in text.split("\n")]
    room = LINES - len(lines) - 2 - 5 * len(tables)  # a title; name, header, rule, count and blank line of each table
    shares = _shares([frame.height for frame in tables.values()], room)
    shown, hidden = {}, {}
    for (name, frame), rows in zip(tables.items(), shares, strict=True):
        shown[name] = frame.head(rows)
        if rows < frame.height:
            hidden[name] = frame.height - rows
    return shown, hidden, lines


def _shares(heights: Sequence[int], room: int) -> list[int]:
    """Rows of each table: the first keeps up to `MAIN`, the others are shown whole while small and share the rest.

    >>> _shares([100, 3, 100], 40), _shares([8], 100)
    ([14, 3, 23], [8])
    """
    if not heights:
        return []
    first = min(heights[0], max(MAIN if len(heights) > 1 else room, FEWEST))
    left, out = room - first, [first] + [0] * (len(heights) - 1)
    order = sorted(range(1, len(heights)), key=lambda i: heights[i])
    for k, i in enumerate(order):
        fair = max(left // (len(order) - k), FEWEST)
        out[i] = min(heights[i], fair)
        left -= out[i]
    return out


def draw(chart: Any, path: Path | None) -> None:
    """Save a chart where one was asked for, and say so."""
    if path is None:
        return
    from dissensus.report.charts.theme import save

    say("note", f"wrote {save(chart, path)}")


def chart_file(plot: Path | None, measure: str, several: bool) -> Path | None:
    """The file of one measure's chart: the measure's name goes before the ending where there are several."""
    if plot is None or not several:
        return plot
    return plot.with_name(f"{plot.stem}-{file_name(measure)}{plot.suffix}")
