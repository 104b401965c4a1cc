"""Results as text: claims, aligned tables with numbers to four decimals, notes below.

A terminal shows at most forty lines unless all rows are asked for. What is left out is counted there: rows, and the
notes that a result keeps for `--explain` (`Result.screen`). The first table, which is the answer, keeps up to `MAIN`.

Tables are set by hand. A table too wide for the terminal should continue below with its first columns repeated, not be
squeezed until it cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, TextIO
from unicodedata import combining, east_asian_width

from dissensus.windows.words import DIGITS, Cells, claim_lines, legend
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.results import Result, Table

LINES = 40
MAIN = 14  # rows that the first table keeps before the others share what is left
FEWEST = 3  # rows that a table keeps, however many tables there are


@dataclass(frozen=True)
class Style:
    """How text is set: escape codes, the width to keep to (none where the output is piped), decimals.

    `more` says how the rows left out are seen, `further` the notes; None shows every row and note. `explain` adds what
    the columns mean.
    """

    bold: str = ""
    dim: str = ""
    off: str = ""
    width: int | None = None
    digits: int = DIGITS
    more: str | None = ".to_frame() has them all"
    further: str | None = ".notes has them all"
    explain: bool = False

    @classmethod
    def on(
        cls, stream: TextIO, *, colour: bool, digits: int = DIGITS, whole: bool = False, explain: bool = False
    ) -> Style:
        """The style of a stream: codes and width where it is a terminal."""
        codes = ("\x1b[1m", "\x1b[2m", "\x1b[0m") if colour else ("", "", "")
        width = get_terminal_size().columns if stream.isatty() else None
        more = None if whole else "--all shows them"
        return cls(*codes, width, digits, more, None if whole or explain else "--explain shows them", explain)

    def filled(self, line: str) -> list[str]:
        """A sentence as lines that fit the terminal; what stands on lines of its own, such as a way out, stays there.

        >>> Style(width=16).filled("B has tied scores.\\n  Average them.")
        ['B has tied', 'scores.', '  Average them.']
        """
        if not self.width:
            return [line]
        out: list[str] = []
        for part in line.split("\n"):
            indent = part[: len(part) - len(part.lstrip())]
            out += wrap(part, self.width, subsequent_indent=indent, break_long_words=False,
                        break_on_hyphens=False) or [part]  # fmt: skip
        return out


def text(result: Result, style: Style | None = None, say: Callable[[str], str] = str) -> str:
    """A result for people; `say` words its notes for the reader."""
    style = style or Style()
    seen = result.screen(style.more is None)
    claims = [style.filled(claim) for claim in claim_lines(seen.claims)]
    notes = footing(result, style, say)
    around = sum(map(len, claims)) + len(seen.notes if style.explain else notes)
    parts = [f"{style.bold}{seen.title}{style.off}\n"] if seen.title else []
    for i, lines in enumerate(claims):
        bold, off = (style.bold, style.off) if i == 0 else ("", "")
        parts += [f"{bold}{line}{off}\n" for line in lines]
    parts += ["\n"] if claims and seen.tables else []
    parts.append("\n".join(_tables(result, seen, style, around)))
    if notes:
        parts.append("\n" + "".join(f"{style.dim}{line}{style.off}\n" for line in notes))
    return "".join(parts)


def _tables(result: Result, seen: Result, style: Style, around: int) -> list[str]:
    """The tables as text, each under its name where there are several, and what is left out of them."""
    whole = {} if style.more is None else result.screen(True).tables
    kept = seen.tables if style.more is None else cut(seen.tables, around)
    out = []
    for name, table in kept.items():
        head = f"{style.bold}{name}{style.off}\n" if len(kept) > 1 else ""
        rows = whole.get(name, seen.tables[name]).frame.height - table.frame.height
        more = f"… {counted(rows, 'more row')}: {style.more}\n" if rows else ""
        out.append(head + text_table(Cells.of(table, style.digits), style) + more)
    further = [name for name, table in whole.items() if name not in kept and table.frame.height]
    return out + ([f"… {counted(len(further), 'more table')}, {', '.join(further)}: {style.more}\n"] if further else [])


def footing(result: Result, style: Style, say: Callable[[str], str] = str) -> list[str]:
    """The lines below the tables: the notes of the first screen, or all of them, and what the columns mean."""
    screen = result.screen(style.more is None)
    seen = result.notes if style.further is None and style.more is not None else screen.notes
    lines = [line for note in seen for said in say(note).split("\n") for line in style.filled(said)]
    if len(seen) < len(result.notes):
        lines.append(f"… {counted(len(result.notes) - len(seen), 'more note')}: {style.further}")
    if style.explain:
        meanings = [line for table in screen.tables.values() for line in legend(table)]
        lines += ["", *(line for meaning in dict.fromkeys(meanings) for line in style.filled(meaning))]
    return lines


def cut(tables: Mapping[str, Table], lines: int) -> dict[str, Table]:
    """Tables with the rows that are shown, where `lines` of text stand around them."""
    room = LINES - lines - 2 - 5 * len(tables)  # a title; name, header, rule, count and blank line of each table
    shares = _shares([table.frame.height for table in tables.values()], room)
    kept = {}
    for (name, table), rows in zip(tables.items(), shares, strict=True):
        last = rows == table.frame.height - 1  # it takes the line that would count it
        kept[name] = replace(table, frame=table.frame.head(rows + last))
    return kept


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
