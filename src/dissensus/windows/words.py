"""Cells as words: how a number, a share, a p-value or a text from data is written for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dissensus.results import Table

DIGITS = 4
NOTHING = "–"


def shown(text: str) -> str:
    r"""Text from data with control and direction characters written out.

    >>> shown("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def cell_text(value: object, digits: int = DIGITS) -> str:
    """A cell for people.

    >>> cell_text(0.5), cell_text(float("nan")), cell_text(1.2e-9), cell_text(True), cell_text(None)
    ('0.5000', '–', '1.2e-09', 'yes', '–')
    """
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _number(value, digits)
    if isinstance(value, list | tuple):
        return ", ".join(cell_text(v, digits) for v in value)
    return shown(str(value))


def _number(value: float, digits: int) -> str:
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value != 0 and abs(value) < 0.5 * 10**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}" if abs(value) < 1e9 else f"{value:.{digits + 1}e}"


def p_text(value: object, digits: int = DIGITS) -> str:
    """A p-value for people: never in powers of ten.

    >>> p_text(0.0312), p_text(1.5e-06), p_text(None)
    ('0.0312', '< 0.001', '–')
    """
    if isinstance(value, float) and value < 0.001:
        return "< 0.001"
    return cell_text(value, digits)


def share_text(value: object, digits: int = DIGITS) -> str:
    """A share as a percentage, with two decimals fewer.

    >>> share_text(0.4567), share_text(None)
    ('45.67%', '–')
    """
    return f"{100 * value:.{max(digits - 2, 0)}f}%" if isinstance(value, float) and math.isfinite(value) else NOTHING


@dataclass(frozen=True)
class Cells:
    """Cells as text: titles, whether a column holds numbers, rows, and how many leading columns name a row."""

    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int

    @classmethod
    def of(cls, table: Table, digits: int = DIGITS) -> Cells:
        """The cells of a table as its columns are written."""
        frame = table.frame
        write = [{"p": p_text, "share": share_text}.get(c.format, cell_text) for c in table.columns.values()]
        numeric = tuple(dtype.is_numeric() for dtype in frame.dtypes)
        rows = tuple(tuple(w(v, digits) for w, v in zip(write, row, strict=True)) for row in frame.iter_rows())
        keys = next((i for i, n in enumerate(numeric) if n), len(numeric))
        return cls(tuple(shown(c.title) for c in table.columns.values()), numeric, rows, keys)


def best_cells(table: Table) -> set[tuple[int, int]]:
    """(row, column) of the best number of each column in `best`, within each assessor where there are several.

    >>> import polars as pl
    >>> from dissensus.results import Table
    >>> frame = pl.DataFrame({"system": ["A", "B"], "AP": [0.2, 0.4]})
    >>> best_cells(Table.of(frame, rest="mean of {name}", best={"AP": True}))
    {(1, 1)}
    """
    frame = table.frame
    groups = frame["assessor"].to_list() if "assessor" in frame.columns else [""] * frame.height
    out = set()
    for name, higher in table.best.items():
        values = frame[name].to_list()
        for group in dict.fromkeys(groups):
            rows = [i for i, g in enumerate(groups) if g == group and values[i] is not None and values[i] == values[i]]
            if len(rows) > 1:
                top = (max if higher else min)(values[i] for i in rows)
                out |= {(i, frame.columns.index(name)) for i in rows if values[i] == top}
    return out


def marks_of_row(table: Table, row: int) -> list[tuple[int, str]]:
    """(column, mark) of the marked cells of a row."""
    places = {name: k for k, name in enumerate(table.frame.columns)}
    return [(places[name], marks[row]) for name, marks in table.marks.items() if marks[row]]


def legend(table: Table) -> list[str]:
    """What the columns mean, "title: meaning", without those that name the rows.

    >>> import polars as pl
    >>> from dissensus.results import Table
    >>> legend(Table.of(pl.DataFrame({"system": ["A"], "low": [0.2]}), level=0.95))
    ['lower: lower end of the 95% interval']
    """
    numeric = [dtype.is_numeric() for dtype in table.frame.dtypes]
    return [f"{c.title}: {c.meaning}" for c, n in zip(table.columns.values(), numeric, strict=True) if n and c.meaning]


def claim_lines(claims: Sequence[object]) -> list[str]:
    """Claims as lines; the measure stands before the first of those that are about it."""
    measures = [str(getattr(c, "measure", "") or "") for c in claims]
    before = ["", *measures]
    return [f"{m}: {c}" if m and m != b else str(c) for m, b, c in zip(measures, before, claims, strict=False)]
