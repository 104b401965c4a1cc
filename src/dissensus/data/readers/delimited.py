"""CSV and TSV: tables with a header, columns in any order.

CSV readers are lenient: short rows, stray quotes, two columns of one name are read somehow. Here they are errors with a
line. Files without quotes whose lines all have the same number of separators go through Polars; all others through
Python's strict reader, which is slower and says what is wrong.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.files import contents
from dissensus.data.readers.text import decode
from dissensus.data.tables.spreadsheets import as_written
from dissensus.errors import FileError, Fix, Option

Rows = tuple[pl.DataFrame, NDArray[np.int64]]
_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas"}


def read_delimited(
    path: Path, separator: str, *, names: Sequence[str] | None = None, data: bytes | None = None, given: bool = False
) -> Rows:
    """(columns, line of each row) of a CSV or TSV file, every value as text.

    The first line names the columns unless `names` does; `given` tells whether the user chose the separator.
    """
    text = decode(contents(path) if data is None else data, path)
    header = text.partition("\n")[0].rstrip("\r")
    if names is None:
        _refuse_other_separator(path, header, separator, given)
    if (
        len(separator) == 1
        and '"' not in text
        and text.count("\r") == text.count("\r\n")
        and _regular(text, separator, names)
    ):
        columns = list(names or _checked_header(header.split(separator), path, 1))
        frame = pl.read_csv(
            io.BytesIO(text.encode()), separator=separator, has_header=False, skip_rows=0 if names else 1,
            new_columns=columns, infer_schema=False, quote_char=None, raise_if_empty=False,
        )  # fmt: skip
        if frame.width == 0:
            frame = pl.DataFrame({n: pl.Series([], dtype=pl.String) for n in columns})
        frame = frame.with_columns(pl.all().fill_null(""))
        # the carriage return of Windows files ends up in the last column
        if any(blank in text for blank in " \t\r" if blank != separator):
            frame = frame.with_columns(pl.all().str.strip_chars(" \t\r"))
        line = np.arange(1 if names else 2, frame.height + (1 if names else 2))
    else:
        frame, line = _strictly(text, path, separator, names)
    if not frame.height:
        raise FileError(f"{path} holds a header and no rows.", "Leave it out, or write it again.")
    return (as_written(frame) if "'" in text else frame), line


def _refuse_other_separator(path: Path, header: str, separator: str, given: bool) -> None:
    """Refuse a header that is separated by something else."""
    for other, name in _NAMES.items():
        if other != separator and separator not in header and header.count(other) >= 2:
            wanted = _NAMES.get(separator, repr(separator))
            raise FileError(
                f"{path}:1: the columns are separated by {name}, not by {wanted}.",
                "Leave the separator out." if given else Fix("Say so with ", Option("separator", other), "."),
                "Name a file with tabs .tsv, and one with commas .csv.",
            )


def _regular(text: str, separator: str, names: Sequence[str] | None) -> bool:
    """Every line has as many separators as the first (as the names need, where they are given), and none is blank."""
    buffer = np.frombuffer(text.encode(), np.uint8)
    ends = np.flatnonzero(buffer == ord("\n"))
    if not len(ends) or ends[-1] != len(buffer) - 1:
        ends = np.r_[ends, len(buffer)]
    separators = np.searchsorted(np.flatnonzero(buffer == ord(separator)), ends)
    counts = np.diff(separators, prepend=0)
    lengths = np.diff(ends, prepend=-1)
    wanted = counts[0] if names is None else len(names) - 1
    return bool((counts == wanted).all() and counts[0] > 0 and lengths.min() > counts[0] + 1)


def _strictly(text: str, path: Path, separator: str, given: Sequence[str] | None) -> Rows:
    if len(separator) != 1:
        raise FileError(f"the separator {separator!r} is not one character.", "Give one such as ';'.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    header: list[str] | None = None if given is None else list(given)
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
                kind = "the header" if given is None else "a table without a header has"
                raise FileError(
                    f"{path}:{first} has {len(row)} value{'s' if len(row) > 1 else ''}, {kind} {len(header)}: "
                    f"{separator.join(row)[:60]!r}.",
                    f"Every line needs a value per column: {', '.join(header)}.",
                )
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
    return frame, np.array(lines, np.int64)


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
