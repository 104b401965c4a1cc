"""CSV, TSV and Parquet: tables with a header, columns in any order.

CSV readers are lenient: short rows, stray quotes, two columns of one name are read somehow. Here they are errors with a
line. Files without quotes whose lines all have the same number of separators go through Polars; all others through
Python's strict reader, which is slower and says what is wrong.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.files import contents
from dissensus.data.readers.text import decode
from dissensus.errors import FileError


@dataclass(frozen=True)
class Table:
    """A file's columns, and the line (or, for Parquet, the row) of each row."""

    frame: pl.DataFrame
    path: Path
    line: NDArray[np.int64]
    comments: int = 0  # lines skipped

    def place(self, row: int) -> str:
        if self.path.name.lower().endswith(".parquet"):
            return f"{self.path}, row {self.line[row]}"
        return f"{self.path}:{self.line[row]}"


def read_delimited(path: Path, separator: str) -> Table:
    """A CSV or TSV file with a header, every value as text."""
    text = decode(contents(path), path)
    header = text.partition("\n")[0].rstrip("\r")
    for other, name in (("\t", "tabs"), (";", "semicolons"), (",", "commas")):
        if separator not in header and header.count(other) >= 2:
            raise FileError(
                f"{path}:1: the columns are separated by {name}, not by {'commas' if separator == ',' else 'tabs'}.",
                "Name a file with tabs .tsv, and one with commas .csv.",
            )
    if '"' not in text and "\r" not in text.replace("\r\n", "") and _regular(text, separator):
        names = _checked_header(header.split(separator), path, 1)
        body = io.BytesIO(text.encode())
        frame = pl.read_csv(
            body, separator=separator, has_header=False, skip_rows=1, new_columns=names, infer_schema=False,
            quote_char=None, raise_if_empty=False,
        )  # fmt: skip
        if frame.width == 0:
            frame = pl.DataFrame({n: pl.Series([], dtype=pl.String) for n in names})
        # the carriage return of Windows files ends up in the last column
        frame = frame.with_columns(pl.all().fill_null("").str.strip_chars(" \t\r"))
        table = Table(frame, path, np.arange(2, frame.height + 2))
    else:
        table = _strictly(text, path, separator)
    if not table.frame.height:
        raise FileError(f"{path} holds a header and no rows.", "Leave it out, or write it again.")
    return table


def _regular(text: str, separator: str) -> bool:
    """Every line has as many separators as the first, and none is blank."""
    buffer = np.frombuffer(text.encode(), np.uint8)
    ends = np.flatnonzero(buffer == ord("\n"))
    if not len(ends) or ends[-1] != len(buffer) - 1:
        ends = np.r_[ends, len(buffer)]
    separators = np.searchsorted(np.flatnonzero(buffer == ord(separator)), ends)
    counts = np.diff(separators, prepend=0)
    lengths = np.diff(ends, prepend=-1)
    return bool((counts == counts[0]).all() and counts[0] > 0 and lengths.min() > counts[0] + 1)


def _strictly(text: str, path: Path, separator: str) -> Table:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    header: list[str] | None = None
    start = 1
    try:
        for row in reader:
            first, start = start, reader.line_num + 1
            if not any(value.strip() for value in row) and len(row) < 2:
                continue
            if header is None:
                header = _checked_header(row, path, first)
                continue
            if len(row) != len(header):
                raise FileError(
                    f"{path}:{first} has {len(row)} value{'s' if len(row) > 1 else ''}, the header {len(header)}: "
                    f"{separator.join(row)[:60]!r}.",
                    f"Every line needs a value per column: {', '.join(header)}.",
                )
            if any("\n" in value or "\r" in value for value in row):
                raise FileError(f"{path}:{first}: a value holds a line break.", "Close the quotes on the same line.")
            rows.append([value.strip(" \t") for value in row])
            lines.append(first)
    except csv.Error as error:
        raise FileError(
            f"{path}:{max(start, reader.line_num)}: {error}.",
            'A value with quotes in it is written in quotes, with the quotes doubled: "a ""b"" c".',
        ) from error
    names = header or []
    columns = list(zip(*rows, strict=True)) if rows else [() for _ in names]
    frame = pl.DataFrame({n: pl.Series(list(c), dtype=pl.String) for n, c in zip(names, columns, strict=True)})
    return Table(frame, path, np.array(lines, np.int64))


def _checked_header(names: list[str], path: Path, line: int) -> list[str]:
    clean = [n.strip() for n in names]
    lower = [n.lower() for n in clean]
    twice = next((n for n in clean if n and lower.count(n.lower()) > 1), None)
    if twice is not None:
        raise FileError(
            f"{path}:{line}: the header names the column {twice!r} twice.",
            "Give each column its own name; the first line of a table names its columns.",
        )
    # pandas writes its index as a column without a name
    return [n or f"column {i + 1}" for i, n in enumerate(clean)]


def read_parquet(path: Path) -> Table:
    """A Parquet file."""
    data = contents(path)
    if data[:4] != b"PAR1":
        raise FileError(f"{path} is no Parquet file: it does not begin with PAR1.", "Name the file after its format.")
    try:
        frame = pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise FileError(f"{path} is a damaged Parquet file ({error}).", "Write it again.") from error
    if not frame.height:
        raise FileError(f"{path} holds no rows.", "Leave it out, or write it again.")
    return Table(frame, path, np.arange(1, frame.height + 1))
