"""Tables that a spreadsheet shows and does not run.

A cell that begins with = + - or @ is a formula to a spreadsheet, and `=cmd|…` runs a program. A text that begins so
gets an apostrophe, which spreadsheets hide and our readers take off; numbers, Parquet and JSON stay as they are.

    >>> inert(pl.DataFrame({"doc": ["=1+1", "d1"], "score": [-1.5, 2.0]}))["doc"].to_list()
    ["'=1+1", 'd1']
"""

from __future__ import annotations

import polars as pl


def inert(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table with an apostrophe before texts that a spreadsheet would take for a formula."""
    return frame.with_columns(pl.col(pl.String).str.replace(r"^('*[=+@-])", "'$1"))


def as_written(frame: pl.DataFrame) -> pl.DataFrame:
    """The table that `inert` was given."""
    return frame.with_columns(pl.col(pl.String).str.replace(r"^'('*[=+@-])", "$1"))
