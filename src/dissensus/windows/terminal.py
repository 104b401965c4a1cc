"""Results as text: claims, aligned tables with numbers to four decimals, notes below.

A terminal shows at most forty lines unless all rows are asked for: a screen that is read, instead of a thousand lines
that are not. Only rows are left out, and counted. Notes are never cut, because they say what the numbers rest on. The
first table, which is the answer, keeps up to `MAIN` rows.

Tables are set by hand: a table too wide for the terminal should continue below with its first columns repeated, not be
squeezed until it cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, TextIO
from unicodedata import combining, east_asian_width

from dissensus.windows.words import DIGITS, Cells, claim_lines

if TYPE_CHECKING:
    from dissensus.results import Result, Table

LINES = 40
MAIN = 14  # rows that the first table keeps before the others share what is left
FEWEST = 3  # rows that a table keeps, however many tables there are


@dataclass(frozen=True)
class Style:
    """How text is set: escape codes, the width to keep to (none where the output is piped), decimals.

    `more` says how the rows left out are seen; None shows every row.
    """

    bold: str = ""
    dim: str = ""
    off: str = ""
    width: int | None = None
    digits: int = DIGITS
    more: str | None = ".to_frame() has them all"

    @classmethod
    def on(cls, stream: TextIO, *, colour: bool, digits: int = DIGITS, whole: bool = False) -> Style:
        """The style of a stream: codes and width where it is a terminal."""
        codes = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else ("", "", "")
        width = get_terminal_size().columns if stream.isatty() else None
        return cls(*codes, width, digits, None if whole else "--all shows them")


def text(result: Result, style: Style | None = None, say: Callable[[str], str] = str) -> str:
    """A result for people; `say` words its notes for the reader."""
    style = style or Style()
    claims = claim_lines(result.claims)
    notes = [line for note in result.notes for line in say(note).split("\n")]
    tables = result.tables
    kept, hidden = (dict(tables), {}) if style.more is None else cut(tables, len(claims) + len(notes))
    parts = [f"{style.bold}{result.title}{style.off}\n"] if result.title else []
    parts += ["".join(f"{line}\n" for line in claims) + "\n"] if claims else []
    for name, table in kept.items():
        if len(kept) > 1:
            parts.append(f"{style.bold}{name}{style.off}\n")
        parts.append(text_table(Cells.of(table, style.digits), style))
        if name in hidden:
            parts.append(f"… {hidden[name]:,} more rows: {style.more}\n")
        parts.append("\n")
    if kept:
        parts[-1] = ""
    if notes:
        parts.append("\n" + "".join(f"{style.dim}{line}{style.off}\n" for line in notes))
    return "".join(parts)


def cut(tables: Mapping[str, Table], lines: int) -> tuple[dict[str, Table], dict[str, int]]:
    """(tables with the rows that are shown, rows left out by table), where `lines` of text stand around them."""
    room = LINES - lines - 2 - 5 * len(tables)  # a title; name, header, rule, count and blank line of each table
    shares = _shares([table.frame.height for table in tables.values()], room)
    kept, hidden = {}, {}
    for (name, table), rows in zip(tables.items(), shares, strict=True):
        kept[name] = replace(table, frame=table.frame.head(rows))
        if rows < table.frame.height:
            hidden[name] = table.frame.height - rows
    return kept, hidden


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


def display_width(text: str) -> int:
    """Terminal cells a text takes: wide letters count two, combining marks none."""
    if text.isascii():
        return len(text)

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def text_table(table: Cells, style: Style) -> str:
    """The table as aligned text; blocks of columns when it is wider than the terminal."""
    if not table.rows:
        return "  ".join(table.header) + "\n(no rows)\n"
    widths = [
        max(display_width(head), max(display_width(row[c]) for row in table.rows))
        for c, head in enumerate(table.header)
    ]
    return "\n".join(_block(table, widths, block, style) for block in _blocks(table, widths, style.width))


def _blocks(table: Cells, widths: list[int], width: int | None) -> list[list[int]]:
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


def _block(table: Cells, widths: list[int], columns: list[int], style: Style) -> str:
    def line(cells: tuple[str, ...]) -> str:
        out = []
        for c in columns:
            gap = " " * (widths[c] - display_width(cells[c]))
            out.append(gap + cells[c] if table.numeric[c] else cells[c] + gap)
        return "  ".join(out).rstrip()

    rule = "  ".join("─" * widths[c] for c in columns)
    head = f"{style.bold}{line(table.header)}{style.off}\n{style.dim}{rule}{style.off}\n"
    return head + "".join(line(row) + "\n" for row in table.rows)
