"""A table as the page wants it: the first rows as text, all of them as data for sorting and for the download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dissensus.report.blocks import ROWS_SHOWN, Section, TableBlock


@dataclass(frozen=True)
class Cell:
    text: str
    numeric: bool


@dataclass(frozen=True)
class TableView:
    """A table as the template wants it."""

    id: str
    block: TableBlock
    columns: tuple[tuple[str, bool], ...]
    rows: list[list[Cell]]
    hidden: int


def table_view(section: Section, block: TableBlock, tables: dict[str, Any]) -> TableView:
    frame = block.frame
    numeric = [dtype.is_numeric() for dtype in frame.dtypes]
    name = f"table-{section.key}-{block.name}"
    tables[name] = {
        "file": f"{section.key}-{block.name}.csv",
        "columns": frame.columns,
        "numeric": numeric,
        "decimal": [dtype.is_float() for dtype in frame.dtypes],
        "digits": block.digits,
        "shown": ROWS_SHOWN,
        "rows": [list(row) for row in frame.iter_rows()],
    }
    shown = [
        [Cell(cell(v, block.digits), n) for v, n in zip(row, numeric, strict=True)]
        for row in frame.head(ROWS_SHOWN).iter_rows()
    ]
    return TableView(
        name, block, tuple(zip(frame.columns, numeric, strict=True)), shown, max(frame.height - ROWS_SHOWN, 0)
    )


def cell(value: Any, digits: int) -> str:
    """A value as it stands in a table; `page.js` writes the same when rows are sorted."""
    import math

    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        return f"{value:.1e}" if 0 < abs(value) < 0.5 * 10**-digits else f"{value:.{digits}f}"
    return str(value)
