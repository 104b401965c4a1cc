"""One way to read a table: `read_table(path, columns)`, for runs, judgments, audits, clicks, classes and scores.

CSV and TSV, JSON lines, Parquet and Arrow files come out as a `TextTable`: every value with the line it was on, so that
any error can name it. The reader is strict: short lines, headers and keys that appear twice, values that span lines are
errors. What becomes of a table, or of any other file, are `Rows`.

Readers of CSV are usually lenient: short rows, stray quotes, two columns of one name are read somehow. Here files whose
lines all have the same number of separators, and quotes at most around whole values, go through Polars; all others
through Python's strict reader, which is slower and says what is wrong.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import FileError, Fix, Option
from dissensus.io.columnar import read_arrow, read_parquet
from dissensus.io.contents import BLOCK, contents, decode
from dissensus.io.excel import read_excel
from dissensus.io.files import TYPED, kind
from dissensus.io.jsonl import read_jsonl
from dissensus.io.options import RoleOptions, no_such_column
from dissensus.tables.columns import MANY_RUNS, Place, column_or_none, find_column
from dissensus.tables.id_text import holds_control
from dissensus.windows.spreadsheets import as_written

Columns = tuple[pl.DataFrame, NDArray[np.int64]]  # and the line of each row
_NAMES = {"\t": "tabs", ";": "semicolons", ",": "commas"}
MARKS = ("\t", ",", ";", " ")  # what may separate the columns of a file that does not say, in this order


@dataclass(frozen=True)
class Rows:
    """Columns of equal length by role; a role that is absent is named after the file (system, assessor)."""

    columns: dict[str, pl.Series]
    place: Place
    notes: tuple[str, ...] = ()
    scale: tuple[str, ...] | None = None  # where the file declares one
    comments: int = 0
    audit: bool = False  # the file holds inclusion probabilities
    named: bool = True  # the rows say who judged or ran

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def keep(self, rows: NDArray[np.intp], *notes: str) -> Rows:
        """Only some rows, with notes why."""
        columns = {role: c.gather(rows) for role, c in self.columns.items()}
        place = self.place
        return replace(self, columns=columns, place=lambda row: place(int(rows[row])), notes=(*self.notes, *notes))


def place_in(parts: Sequence[Rows]) -> Place:
    """Where a row is that comes from one of several files, whose rows stand one after the other."""
    starts = np.r_[0, np.cumsum([len(part) for part in parts])]

    def place(row: int) -> str:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        return parts[number].place(row - int(starts[number]))

    return place


def texts(column: pl.Series) -> pl.Series:
    """A column as text; also one of mixed JSON values or of numbers beyond 64 bits, which Polars does not cast."""
    if column.dtype != pl.Object:
        return column.cast(pl.String)
    return pl.Series(column.name, [None if v is None else str(v) for v in column], dtype=pl.String)


@dataclass(frozen=True)
class TextTable:
    """A table's columns, the line (of typed files and frames the row) of each, and the columns that the user named."""

    frame: pl.DataFrame
    path: Path  # of a frame, what errors call it
    line: NDArray[np.int64]
    named: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)  # named by the user, and not in this table
    typed: bool = False

    @classmethod
    def of(
        cls, frame: pl.DataFrame, path: Path, line: NDArray[np.int64], options: RoleOptions | None = None
    ) -> TextTable:
        """A table with the columns that options name, as far as it has them."""
        named = {} if options is None else options.named_in(frame.columns, str(path))
        absent = {} if options is None else {p: c for p, c in options.columns.items() if p not in named}
        return cls(frame, path, line, named, absent, kind(path) in TYPED)

    @classmethod
    def of_frame(cls, frame: pl.DataFrame, options: RoleOptions | None = None, source: str = "the frame") -> TextTable:
        """The table that a frame is."""
        table = cls.of(frame, Path(source), np.arange(1, frame.height + 1), options)
        return replace(table, typed=True)

    def place(self, row: int) -> str:
        """Where a row is: file and line."""
        return f"{self.path}{', row ' if self.typed else ':'}{self.line[row]}"

    def has(self, role: str) -> str | None:
        """The column that plays a role, or None."""
        return self.named.get(role) or column_or_none(self.frame.columns, role, str(self.path))

    def find(self, role: str, *ways_out: str) -> str:
        """The column that plays a role; its absence is an error."""
        found = self.has(role)
        if found is None and role in self.absent:
            raise no_such_column(str(self.path), self.absent[role], role, self.frame.columns)
        return found or find_column(self.frame.columns, role, str(self.path), *ways_out)

    def __getitem__(self, role: str) -> pl.Series:
        """The column of a role; other columns may hold texts of several lines, this one may not."""
        return self.column(self.find(role), role)

    def column(self, name: str, role: str) -> pl.Series:
        """A column, which must not hold line breaks, under the name of its role."""
        column = self.frame[name]
        broken = column.str.contains(r"[\r\n]").arg_true().to_list() if self._may_break(column) else []
        if broken:
            row = broken[0]
            raise FileError(f"{self.place(row)}: a value of {column.name!r} holds a line break: {column[row][:60]!r}.",
                            "Close the quotes on the same line.")  # fmt: skip
        return column.alias(role)

    def _may_break(self, column: pl.Series) -> bool:
        """May a text of the column hold a line break? For very many rows, kernels, which are loaded anyway, tell."""
        if column.dtype != pl.String or not self.typed or len(column) < MANY_RUNS:
            return column.dtype == pl.String

        return holds_control(column)

    def rows(self, keep: NDArray[np.bool_]) -> TextTable:
        """Only the rows where `keep` is true."""
        return replace(self, frame=self.frame.filter(pl.Series(keep)), line=self.line[keep])


def with_constants(frame: pl.DataFrame, constants: Mapping[str, str]) -> pl.DataFrame:
    """A frame with columns that are the same in all rows; columns of its own stay."""
    return frame.with_columns(pl.lit(v).alias(k) for k, v in constants.items() if k not in frame.columns)


def open_table(path: Path, options: RoleOptions, constants: Mapping[str, str] | None = None) -> TextTable:
    """A table with a header; numbers in `columns` say that it has none and count its columns from 1."""
    separator, names, data = options.separator, None, None
    if options.numbered or (options.columns and separator is None and kind(path) == "trec"):
        data = contents(path)  # the first line tells what separates it
        first = decode(data, path).lstrip("\n").partition("\n")[0].rstrip("\r")
        usual = "\t" if kind(path) == "tsv" else ","
        separator = separator or next((mark for mark in MARKS if mark in first), usual)
        names = [str(i + 1) for i in range(first.count(separator) + 1)] if options.numbered else None
    return read_table(path, options, separator=separator, names=names, data=data, constants=constants)


def has_named_column(first: str, options: RoleOptions) -> bool:
    """Does the first line of a file name one of the columns that the user named?"""
    marks = MARKS if options.separator is None else (options.separator,)
    return any({v.strip().strip('"') for v in first.split(mark)} & set(options.columns.values()) for mark in marks)


def read_table(
    path: Path,
    options: RoleOptions | None = None,
    *,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    data: bytes | None = None,
    constants: Mapping[str, str] | None = None,
) -> TextTable:
    """The table in a file.

    `options` say which column plays which role, `separator` what separates the values of a text table, `names` what
    the columns of a table without a header are called; `data` are the file's bytes, if at hand.
    """
    format = kind(path)
    separator = separator or (None if options is None else options.separator)
    if format == "parquet":
        frame, line = read_parquet(path)
    elif format == "arrow":
        frame, line = read_arrow(path)
    elif format == "xlsx":
        frame, line = read_excel(path)
    elif format == "jsonl":
        frame, line = read_jsonl(path, data)
    else:
        frame, line = read_delimited(path, separator or ("\t" if format == "tsv" else ","), names=names, data=data,
                                     given=separator is not None)  # fmt: skip
    return TextTable.of(with_constants(frame, constants or {}), path, line, options)


def read_delimited(
    path: Path, separator: str, *, names: Sequence[str] | None = None, data: bytes | None = None, given: bool = False
) -> Columns:
    """(columns, line of each row) of a CSV or TSV file, every value as text.

    The first line names the columns unless `names` does; `given` tells whether the user chose the separator.
    """
    data = contents(path) if data is None else data
    text = decode(data, path)
    raw = data.removeprefix(codecs.BOM_UTF8)  # the bytes of the text
    header = (text if "\n" not in text else text[: text.index("\n")]).rstrip("\r")
    if names is None:
        _refuse_other_separator(path, header, separator, given)
    plain = _without_quotes(raw, text, separator)
    if plain is not None and _regular(plain, separator, len(names) if names else header.count(separator) + 1):
        columns = list(names or _checked_header(header.replace('"', "").split(separator), path, 1))
        frame = pl.read_csv(
            io.BytesIO(plain), separator=separator, has_header=False, skip_rows=0 if names else 1,
            new_columns=columns, infer_schema=False, quote_char=None, raise_if_empty=False,
        )  # fmt: skip
        if frame.width == 0:
            frame = pl.DataFrame({n: pl.Series([], dtype=pl.String) for n in columns})
        frame = frame.with_columns(pl.all().fill_null(""))
        blanks = any(blank in text for blank in " \t" if blank != separator)
        if blanks or "\r" in text:  # the carriage return of Windows files ends up in the last column
            frame = frame.with_columns((pl.all() if blanks else pl.last()).str.strip_chars(" \t\r"))
        line = np.arange(1 if names else 2, frame.height + (1 if names else 2))
    else:
        frame, line = _strictly(text, path, separator, names)
    if not frame.height:
        raise FileError(f"{path} holds a header and no rows.", "Leave it out, or write it again.")
    return (as_written(frame) if names is None and "'" in header else frame), line


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


def _without_quotes(raw: bytes, text: str, separator: str) -> bytes | None:
    """The bytes of a table without the quotes around whole values; None where quotes or line ends mean more.

    They mean more where a line does not end with its \\n, and where a quoted value holds quotes, separators or lines.
    """
    if len(separator) != 1 or ("\r" in text and text.count("\r") != text.count("\r\n")):  # counting is slow
        return None
    if '"' not in text:
        return raw
    if separator == '"' or not separator.isascii():
        return None
    may_touch = np.zeros(256, bool)  # what may be on the other side of a quote
    may_touch[[ord(c) for c in f"{separator}\r\n"]] = True
    for lines in _blocks_of_lines(raw):
        framed = np.pad(lines, 1, constant_values=ord("\n"))
        quote = framed == ord('"')
        marks = np.flatnonzero(quote | (framed == ord(separator)) | (framed == ord("\n")))
        quotes = np.flatnonzero(quote[marks])
        first, last = quotes[::2], quotes[1::2]
        if len(first) != len(last) or (last != first + 1).any():  # no mark between the two quotes of a value
            return None
        if not (may_touch[framed[marks[first] - 1]].all() and may_touch[framed[marks[last] + 1]].all()):
            return None
    return raw.replace(b'"', b"")


def _blocks_of_lines(raw: bytes) -> Iterator[NDArray[np.uint8]]:
    """Whole lines, a block of bytes at a time or a little more, since the marks of a file take more room than it."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + BLOCK) + 1 or len(raw)
        yield np.frombuffer(raw, np.uint8, end - start, start)
        start = end


def _regular(raw: bytes, separator: str, width: int) -> bool:
    """Every line has `width` values, and none is blank: of `width` marks (separators, line ends) the last is an end."""
    if width < 2 or not separator.isascii():
        return False
    for lines in _blocks_of_lines(raw):
        if lines[-1] != ord("\n"):
            lines = np.append(lines, np.uint8(ord("\n")))
        line_end = lines == ord("\n")
        marks = np.flatnonzero(line_end | (lines == ord(separator)))
        ends = marks[width - 1 :: width]
        if len(marks) != width * len(ends) or len(ends) != np.count_nonzero(line_end) or not line_end[ends].all():
            return False
        if np.diff(ends, prepend=-1).min() <= width:
            return False
    return True


def _strictly(text: str, path: Path, separator: str, given: Sequence[str] | None) -> Columns:
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
