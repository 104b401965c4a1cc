"""One way to read a table: `read_table(path, columns)`, for runs, judgments, audits, clicks, classes and scores.

CSV and TSV, JSON lines, Parquet and Arrow files come out as a `Table`: every value with the line it was on, so that any
error can name it. The reader is strict: short lines, headers and keys that appear twice, values that span lines are
errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.readers.arrow import read_arrow
from dissensus.data.readers.delimited import read_delimited
from dissensus.data.readers.files import TYPED, kind
from dissensus.data.readers.jsonl import read_jsonl
from dissensus.data.readers.parquet import read_parquet
from dissensus.data.tables.columns import MANY_RUNS, column_or_none, find_column
from dissensus.data.tables.id_text import holds_control
from dissensus.errors import FileError, Fix, Option


@dataclass(frozen=True)
class Table:
    """A file's columns, the line (of typed files the row) of each, and which column the user named for which role."""

    frame: pl.DataFrame
    path: Path
    line: NDArray[np.int64]
    named: Mapping[str, str] = field(default_factory=dict)

    def place(self, row: int) -> str:
        """Where a row is: file and line."""
        return f"{self.path}{', row ' if kind(self.path) in TYPED else ':'}{self.line[row]}"

    def has(self, role: str) -> str | None:
        """The column that plays a role, or None."""
        return self.named.get(role) or column_or_none(self.frame.columns, role, str(self.path))

    def find(self, role: str, *ways_out: str) -> str:
        """The column that plays a role; its absence is an error."""
        return self.named.get(role) or find_column(self.frame.columns, role, str(self.path), *ways_out)

    def __getitem__(self, role: str) -> pl.Series:
        """The column of a role; other columns may hold texts of several lines, this one may not."""
        return self.column(self.find(role), role)

    def column(self, name: str, role: str) -> pl.Series:
        """A column, which must not hold line breaks, under the name of its role."""
        column = self.frame[name]
        typed = kind(self.path) in TYPED and len(column) >= MANY_RUNS  # for so many rows kernels are loaded anyway
        looked_at = column.dtype == pl.String and not (typed and not holds_control(column))
        broken = column.str.contains(r"[\r\n]").arg_true().to_list() if looked_at else []
        if broken:
            row = broken[0]
            raise FileError(f"{self.place(row)}: a value of {column.name!r} holds a line break: {column[row][:60]!r}.",
                            "Close the quotes on the same line.")  # fmt: skip
        return column.alias(role)

    def rows(self, keep: NDArray[np.bool_]) -> Table:
        """Only the rows where `keep` is true."""
        return replace(self, frame=self.frame.filter(pl.Series(keep)), line=self.line[keep])


def read_table(
    path: Path,
    columns: Mapping[str, str] | None = None,
    *,
    separator: str | None = None,
    names: Sequence[str] | None = None,
    data: bytes | None = None,
) -> Table:
    """The table in a file.

    `columns` says which column plays which role ({"topic": "qid"}), `separator` what separates the values of a text
    table, `names` what the columns of a table without a header are called; `data` are the file's bytes, if at hand.
    """
    format = kind(path)
    if format == "parquet":
        frame, line = read_parquet(path)
    elif format == "arrow":
        frame, line = read_arrow(path)
    elif format == "jsonl":
        frame, line = read_jsonl(path, data)
    else:
        frame, line = read_delimited(path, separator or ("\t" if format == "tsv" else ","), names=names, data=data,
                                     given=separator is not None)  # fmt: skip
    return Table(frame, path, line, checked_names(columns, frame, path))


def checked_names(columns: Mapping[str, str] | None, frame: pl.DataFrame, path: Path) -> dict[str, str]:
    """The user's names of columns, each of which the table must have."""
    named = dict(columns or {})
    for role, column in named.items():
        if column not in frame.columns:
            raise FileError(
                f"{path} has no column {column!r} for the {role}; its columns are "
                f"{', '.join(map(repr, frame.columns))}.",
                Fix("Name columns of the file in ", Option("columns"), ", as in topic=qid,doc=docno."),
            )
    return named
