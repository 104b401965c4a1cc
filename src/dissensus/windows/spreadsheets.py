"""Tables that a spreadsheet shows and does not run.

A cell that begins with = + - or @ is a formula to a spreadsheet, and `=cmd|…` runs a program. A text that begins so
gets an apostrophe. Numbers, Parquet and JSON stay as they are. The name of its column gets one, too: that says to our
readers that the apostrophes of this column are ours. Those in anybody else's file belong to the text.

    >>> table = inert(pl.DataFrame({"doc": ["=1+1", "d1"], "topic": ["'t", "q2"], "score": [-1.5, 2.0]}))
    >>> table.columns, table["'doc"].to_list()
    (["'doc", 'topic', 'score'], ["'=1+1", 'd1'])
    >>> as_written(table)["doc"].to_list()
    ['=1+1', 'd1']
"""

from __future__ import annotations

import re

import polars as pl

_FORMULA = "^('*[=+@-].)"  # a sign alone is none


def inert(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with an apostrophe before texts that a spreadsheet would take for a formula."""
    columns = []
    for name in frame.columns:
        column, text = pl.col(name), frame.schema[name] == pl.String
        if re.match("'|[=+@-]", name) or (text and frame[name].str.contains(_FORMULA).any()):
            column = (column.str.replace(_FORMULA, "'$1") if text else column).alias(f"'{name}")
        columns.append(column)
    return frame.select(columns)


def as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """The table that `inert` was given."""
    return frame.select(
        pl.col(name).str.replace(f"^'{_FORMULA[1:]}", "$1").alias(name[1:]) if name[:1] == "'" else pl.col(name)
        for name in frame.columns
    )
