"""Results in a notebook: short HTML tables, every text escaped, what a column means as its tooltip."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from dissensus.windows.words import claim_lines, shown
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.results import Result, Table

ROWS, NOTES = 20, 8


def page(result: Result) -> str:
    """The claims, the first table, the names of the others, and the notes."""
    tables = list(result.tables.items())
    said = "".join(f"<p>{_cell(line)}</p>" for line in claim_lines(result.claims)[:NOTES])
    first = "" if not tables else html_rows(tables[0][1].frame, _header(tables[0][1]))
    others = ", ".join(f".to_frame({name!r})" for name, _ in tables[1:])
    more = f"<p>Further tables: <code>{_cell(others)}</code></p>" if others else ""
    return _framed(result.title, said + first + more, result.notes)


def html_table(title: str, frame: pl.DataFrame, notes: Iterable[str] = (), *, rows: int = ROWS) -> str:
    """A table for a notebook: at most `rows` rows, numbers with four decimals, every text escaped, notes below."""
    head = "".join(f"<th>{_cell(name)}</th>" for name in frame.columns)
    return _framed(title, html_rows(frame, head, rows), list(notes))


def summary_html(title: str, facts: Sequence[tuple[str, object]], notes: Iterable[str] = ()) -> str:
    """A few facts about a noun (runs, judgments, an audit), for a notebook."""
    frame = pl.DataFrame({"": [name for name, _ in facts], "value": [_number(value) for _, value in facts]})
    return html_table(title, frame, notes)


def html_rows(frame: pl.DataFrame, head: str, rows: int = ROWS) -> str:
    """The rows below a head that is HTML already."""
    body = "".join(f"<tr>{''.join(_td(v) for v in row)}</tr>" for row in frame.head(rows).iter_rows())
    hidden = frame.height - rows
    more = f"<p>{counted(hidden, 'more row')}: .to_frame() has them all.</p>" if hidden > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _header(table: Table) -> str:
    return "".join(f"<th title='{_cell(c.meaning)}'>{_cell(c.title)}</th>" for c in table.columns.values())


def _framed(title: str, inside: str, notes: Sequence[str]) -> str:
    listed = "".join(f"<li>{_cell(note)}</li>" for note in notes[:NOTES])
    if len(notes) > NOTES:
        listed += f"<li>{len(notes) - NOTES:,} more notes: print() shows them all.</li>"
    below = f"<ul style='max-width:60em'>{listed}</ul>" if listed else ""
    return f"<div class='dissensus'><strong>{_cell(title)}</strong>{inside}{below}</div>"


def _td(value: object) -> str:
    right = " style='text-align:right'" if isinstance(value, int | float) and not isinstance(value, bool) else ""
    return f"<td{right}>{_cell(_number(value))}</td>"


def _number(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.4f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _cell(text: object) -> str:
    return html.escape(shown(str(text)))
