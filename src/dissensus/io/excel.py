"""Excel workbooks (.xlsx): samples go out to experts, and come back as audits.

Ids are written as text cells, so that a spreadsheet shows them and keeps them as they are. A cell of an id that comes
back as a date, or as a number with a fraction or of more than 15 digits, was changed by the spreadsheet. It is refused
with its row. Needs openpyxl: `pip install dissensus[excel]`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, InputError

if TYPE_CHECKING:
    from types import ModuleType

EXACT = 10**15  # whole numbers below this are exact in a spreadsheet
IDS = ("topic", "doc", "query", "qid", "query_id", "docid", "doc_id", "docno", "document")


def openpyxl() -> ModuleType:
    """The library, or an error that says what brings it."""
    try:
        found = import_module("openpyxl")
        import_module("openpyxl.cell")
    except ImportError as error:
        raise InputError(
            "Excel workbooks need openpyxl.",
            'Install it: pip install "dissensus[excel]"',
            "Save the sheet as CSV.",
        ) from error
    return found


def read_excel(path: Path) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """(columns as text, row of each) of the first sheet of a workbook; its first row names the columns."""
    try:
        book = openpyxl().load_workbook(path, read_only=True, data_only=True)
    except (BadZipFile, KeyError, OSError, ValueError, EOFError) as error:
        raise FileError(f"{path} is no Excel workbook, or damaged: {error}.", "Save it again as .xlsx.") from error
    try:
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    finally:
        book.close()
    filled = [(i + 1, row) for i, row in enumerate(rows) if any(v is not None and str(v).strip() for v in row)]
    if len(filled) < 2:
        raise FileError(f"{path} holds no rows below a header.", "Leave it out, or write it again.")
    header = ["" if v is None else str(v).strip() for v in filled[0][1]]
    width = max((i + 1 for i, name in enumerate(header) if name), default=0)
    names = header[:width]
    if "" in names or len({n.lower() for n in names}) < len(names):
        raise FileError(f"{path}, row {filled[0][0]}: every column needs a name of its own, not {', '.join(names)}.")
    columns: dict[str, list[str]] = {name: [] for name in names}
    for number, row in filled[1:]:
        for name, value in zip(names, [*row, *[None] * width][:width], strict=True):
            columns[name].append(_text(value, name, path, number))
    frame = pl.DataFrame({n: pl.Series(values, dtype=pl.String) for n, values in columns.items()})
    return frame, np.array([number for number, _ in filled[1:]], np.int64)


def _text(value: Any, column: str, path: Path, row: int) -> str:
    """A cell as text; one of an id that the spreadsheet changed is an error."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value.strip()
    whole = isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
    if whole and abs(value) < EXACT:
        return str(int(value))
    if column.strip().lower() in IDS:
        raise FileError(
            f"{path}, row {row}: the {column} is {value!r}, which a spreadsheet made of another id.",
            "Write the id again as text, as the sample had it, or take the file that was sent.",
        )
    return repr(value) if isinstance(value, float) else str(value)


def write_excel(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as a workbook of one sheet: ids and grades as text, numbers as numbers."""
    library = openpyxl()
    book = library.Workbook(write_only=True)
    sheet = book.create_sheet("sample")
    sheet.freeze_panes = "A2"

    def cell(value: object) -> Any:
        if not isinstance(value, str):
            return value
        made = library.cell.WriteOnlyCell(sheet, value=value)
        made.number_format, made.data_type = "@", "s"
        return made

    for name, width in zip(frame.columns, _widths(frame), strict=True):
        sheet.column_dimensions[_letter(frame.columns.index(name))].width = width
    sheet.append([cell(name) for name in frame.columns])
    for row in frame.iter_rows():
        sheet.append([cell(value) for value in row])
    book.save(path)


def _widths(frame: pl.DataFrame) -> list[int]:
    return [
        min(max([len(name), *(len(str(v)) for v in frame[name].head(50).drop_nulls())]) + 2, 60)
        for name in frame.columns
    ]


def _letter(place: int) -> str:
    """The name of a column: A, B, … Z, AA, …

    >>> [_letter(i) for i in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    return (_letter(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)
