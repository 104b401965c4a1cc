"""The way out of every command: tables to the terminal, to JSON, or to a file.

    emit(frame, json=json, output=output, title="AP by assessor", footer=["ties=trec  topics=judged (50)"])
    emit({"systems": frame, "pairs": pairs}, json=json, output=output, facts={"alpha": 0.62})

- terminal: aligned tables, numbers to four decimals, the footer below;
- `--json`: {"title", "tables": {name: [rows]}, "footer": [...], **facts}; NaN and infinities are null;
- `--output`: see `dissensus.cli.terminal.files`.

A terminal shows at most forty lines, unless `--all`: a screen that is read, instead of a thousand lines that are not.
Only rows are left out, and counted, with the option that shows them: remarks below a table are never cut, because they
say what the numbers rest on. The first table, which is the answer, keeps up to `MAIN` rows.

Tables are set by hand, because starting a table library costs more than a small evaluation, and because a table too
wide for the terminal should continue below with its first columns repeated, not be squeezed until it cannot be read.
"""

from __future__ import annotations

import json as json_module
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dissensus.cli.terminal.messages import EVERY_ROW, colour_wanted, spoken
from dissensus.results import plain, shown

if TYPE_CHECKING:
    import polars as pl

LINES = 40
MAIN = 14  # rows that the first table keeps before the others share what is left
FEWEST = 3  # rows that a table keeps, however many tables there are
NOTHING = "–"


def emit(
    tables: pl.DataFrame | Mapping[str, pl.DataFrame],
    *,
    json: bool = False,
    output: Path | str | None = None,
    footer: str | Sequence[str] = (),
    whole: bool = False,
    **about: Any,
) -> None:
    """Print tables, or write them to `output`; `about` them is the rest of a `Printout`: title, facts, digits …

    A single frame is the table named "table". `whole` shows every row on a terminal, too: a list that was asked for.
    """
    named = dict(tables) if isinstance(tables, Mapping) else {"table": tables}
    lines = [spoken(line) for line in ([footer] if isinstance(footer, str) else footer)]
    printout = Printout(named, footer=lines, **about)
    if output is not None:
        from dissensus.cli.terminal.files import write

        write(printout, Path(output))
    if json:
        sys.stdout.write(printout.json() + "\n")
    elif output is None:
        sys.stdout.write(printout.text(whole=whole))
    elif lines:
        sys.stderr.write("".join(f"{line}\n" for line in lines))


@dataclass(frozen=True)
class Printout:
    """Tables by name, and what is said about them.

    `facts` are single numbers or texts that belong to the result: in JSON they stand beside the tables, on the terminal
    they are yours to put into `footer`. In papers (.tex, .md), `best` {column: is higher better} makes the best number
    of a column of the first table bold, `marks` follow row names.
    """

    tables: Mapping[str, pl.DataFrame]
    title: str | None = None
    footer: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    digits: int = 4
    best: Mapping[str, bool] = field(default_factory=dict)
    marks: Sequence[str] = ()

    def cells(self, frame: pl.DataFrame) -> Table:
        """One of the tables, its cells as text."""
        return Table.of(frame, self.digits)

    def text(self, *, whole: bool = False) -> str:
        """Tables for people; on a terminal, tables wider than it continue below, their first columns repeated."""
        style, width = colours(sys.stdout), terminal_width(sys.stdout)
        parts = [f"{style.bold}{self.title}{style.off}\n"] if self.title else []
        tables, hidden, footer = (self.tables, {}, self.footer) if whole else cut(self.tables, self.footer)
        for name, frame in tables.items():
            if len(tables) > 1:
                parts.append(f"{style.bold}{name}{style.off}\n")
            parts.append(text_table(self.cells(frame), width=width, style=style))
            if name in hidden:
                parts.append(f"… {hidden[name]:,} more rows: --all shows them\n")
            parts.append("\n")
        parts[-1] = ""
        if footer:
            parts.append("\n" + "".join(f"{style.dim}{line}{style.off}\n" for line in footer))
        return "".join(parts)

    def json(self) -> str:
        """Valid JSON (no NaN): title, tables as lists of rows, footer, facts."""
        document: dict[str, Any] = {} if self.title is None else {"title": self.title}
        document["tables"] = {name: frame.to_dicts() for name, frame in self.tables.items()}
        document["footer"] = list(self.footer)
        document.update(self.facts)
        return json_module.dumps(plain(document), ensure_ascii=False, indent=1, allow_nan=False)


def print_json(value: Any, indent: int | None = 1) -> None:
    """Facts that are plain values already, as JSON."""
    sys.stdout.write(json_module.dumps(value, ensure_ascii=False, indent=indent) + "\n")


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


# ── tables as text ──
@dataclass(frozen=True)
class Table:
    """Cells as text: column names, whether a column holds numbers, rows, and how many leading columns name a row."""

    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int

    @classmethod
    def of(cls, frame: pl.DataFrame, digits: int = 4) -> Table:
        numeric = tuple(dtype.is_numeric() for dtype in frame.dtypes)
        rows = tuple(tuple(cell_text(v, digits) for v in row) for row in frame.iter_rows())
        keys = next((i for i, n in enumerate(numeric) if n), len(numeric))
        return cls(tuple(shown(c) for c in frame.columns), numeric, rows, keys)


@dataclass(frozen=True)
class Colours:
    bold: str = ""
    dim: str = ""
    off: str = ""


def colours(stream: TextIO) -> Colours:
    """Escape codes where the stream is a terminal that wants them, else nothing."""
    return Colours("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour_wanted(stream) else Colours()


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal; None, no limit, when the output is piped."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if stream.isatty() else None


def cell_text(value: Any, digits: int = 4) -> str:
    """A cell for people.

    >>> cell_text(0.5), cell_text(float("nan")), cell_text(1.2e-9), cell_text(True), cell_text(None)
    ('0.5000', '–', '1.2e-09', 'yes', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isnan(value):
            return NOTHING
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        if value != 0 and abs(value) < 0.5 * 10**-digits:
            return f"{value:.1e}"
        return f"{value:.{digits}f}" if abs(value) < 1e9 else f"{value:.{digits + 1}e}"
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(v, digits) for v in value)
    return shown(str(value))


def display_width(text: str) -> int:
    """Terminal cells a text takes: wide letters count two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def text_table(table: Table, *, width: int | None = None, style: Colours | None = None) -> str:
    """The table as aligned text; blocks of columns when it is wider than `width`."""
    style = style or Colours()
    if not table.rows:
        return "  ".join(table.header) + "\n(no rows)\n"
    widths = [
        max(display_width(head), max(display_width(row[c]) for row in table.rows))
        for c, head in enumerate(table.header)
    ]
    return "\n".join(_block(table, widths, block, style) for block in _blocks(table, widths, width))


def _blocks(table: Table, widths: list[int], width: int | None) -> list[list[int]]:
    """Columns by block: each starts with the key columns and takes as many others as fit."""
    everything = list(range(len(widths)))
    if width is None or sum(widths) + 2 * (len(widths) - 1) <= width:
        return [everything]
    keys = everything[: table.keys] if table.keys < len(widths) else everything[:1]
    if sum(widths[k] + 2 for k in keys) > width * 2 // 3:
        keys = keys[:1]
    blocks, block = [], list(keys)
    for column in everything[len(keys) :]:
        if len(block) > len(keys) and sum(widths[c] + 2 for c in block) + widths[column] > width:
            blocks.append(block)
            block = list(keys)
        block.append(column)
    return [*blocks, block]


def _block(table: Table, widths: list[int], columns: list[int], style: Colours) -> str:
    def line(cells: tuple[str, ...]) -> str:
        out = []
        for c in columns:
            gap = " " * (widths[c] - display_width(cells[c]))
            out.append(gap + cells[c] if table.numeric[c] else cells[c] + gap)
        return "  ".join(out).rstrip()

    rule = "  ".join("─" * widths[c] for c in columns)
    head = f"{style.bold}{line(table.header)}{style.off}\n{style.dim}{rule}{style.off}\n"
    return head + "".join(line(row) + "\n" for row in table.rows)
