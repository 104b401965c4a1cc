"""Plain tables: aligned columns for the terminal.

Hand-written, because starting a table library costs more than a small evaluation, and because a table too wide for the
terminal should continue below with its first columns repeated, not be squeezed until it cannot be read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from dissensus.cli.terminal.messages import colour_wanted
from dissensus.results import shown

if TYPE_CHECKING:
    import polars as pl

NOTHING = "–"


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

    def columns(self, chosen: list[int]) -> Table:
        """Only some columns."""
        return Table(
            tuple(self.header[c] for c in chosen),
            tuple(self.numeric[c] for c in chosen),
            tuple(tuple(row[c] for c in chosen) for row in self.rows),
            self.keys,
        )


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
