"""Click logs that are tables: one row per click with session, query, rank, time."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from dissensus.data.readers.columns import as_polars, code, id_strings
from dissensus.data.tables.clicks import Clicks
from dissensus.errors import FileError
from dissensus.work.plural import counted

SYNONYMS = {
    "session": ("session", "session_id", "sessionid", "sid", "user", "user_id"),
    "query": ("query", "query_id", "queryid", "qid", "topic", "topic_id"),
    "rank": ("rank", "position", "pos"),
    "time": ("time", "timestamp", "time_passed", "timepassed", "t"),
}


def parse_table(data: bytes, source: str, first: str, *, header: bool = True) -> Clicks:
    """Clicks from the bytes of a CSV or TSV file; without a header its columns are session, query, rank, time."""
    separator = max("\t,;", key=first.count)
    bare = ["session", "query", "rank", "time"][: first.count(separator) + 1]
    try:
        table = pl.read_csv(
            io.BytesIO(data),
            separator=separator,
            has_header=header,
            new_columns=None if header else bare,
            infer_schema_length=10_000,
            try_parse_dates=True,
        )
    except pl.exceptions.PolarsError as error:
        why = str(error).splitlines()[0]
        raise FileError(f"{source}: {why}", "Every row needs as many fields as the first.") from None
    clicks = clicks_from_frame(table, source, first_line=2 if header else 1)
    return (
        clicks if header else replace(clicks, notes=(f"no header: columns taken as {', '.join(bare)}", *clicks.notes))
    )


def clicks_from_frame(frame: Any, source: str, first_line: int | None = None) -> Clicks:
    """Clicks from a frame; `first_line` is the file line of its first row."""
    table = as_polars(frame)

    def place(row: int) -> str:
        return f"{source}, row {row + 1}" if first_line is None else f"{source}:{row + first_line}"

    columns = {role: _column(table.columns, role, source) for role in ("session", "rank", "query", "time")}
    if not table.height:
        raise FileError(f"{source} has a header but no clicks.")
    session = id_strings(table[str(columns["session"])], "session", place)
    notes = []
    if columns["query"] is None:
        query = pl.Series(["all"]).new_from_index(0, table.height)
        notes.append("no query column: all clicks belong to one query")
    else:
        query = id_strings(table[columns["query"]], "query", place)
    time = None
    if columns["time"] is None:
        notes.append("no time column: clicks in the order of the rows, no holding times")
    else:
        time = _times(table[columns["time"]], place)
    rank = _ranks(table[str(columns["rank"])], place)
    if rank.null_count():
        notes.append(f"{counted(rank.null_count(), 'row')} without a rank: a page was shown, nothing was clicked")
    return _in_order(session, query, rank, time, notes)


def _in_order(
    session: pl.Series, query: pl.Series, rank: pl.Series, time: pl.Series | None, notes: list[str]
) -> Clicks:
    queries, query_code = code(query)
    session_code = session.rank("dense").to_numpy()
    when = np.zeros(len(session)) if time is None else time.to_numpy()
    order = np.lexsort((when, session_code))  # stable: rows of the same time stay in their order
    session_code, query_code, when = session_code[order], query_code[order], when[order]
    ranks = rank.fill_null(0).to_numpy()[order]
    dwell = np.full(len(order), np.nan)
    if time is not None and len(order) > 1:
        same = session_code[1:] == session_code[:-1]
        dwell[:-1] = np.where(same, np.diff(when), np.nan)
    pair = session_code.astype(np.int64) * max(len(queries), 1) + query_code
    pages, page = np.unique(pair, return_inverse=True)
    clicked = ranks > 0
    by_page = np.argsort(page[clicked], kind="stable")
    return Clicks(
        queries=queries,
        page=page[clicked][by_page].astype(np.int64),
        rank=ranks[clicked][by_page].astype(np.int32),
        dwell=dwell[clicked][by_page],
        page_query=(pages % max(len(queries), 1)).astype(np.int32),
        page_length=np.zeros(len(pages), np.int32),
        notes=tuple(notes),
    )


def _column(columns: list[str], role: str, source: str) -> str | None:
    lower = {c.strip().lower(): c for c in columns}
    for name in SYNONYMS[role]:
        if name in lower:
            return lower[name]
    if role in ("query", "time"):
        return None
    raise FileError(
        f"{source} has no column '{role}'; its columns are {', '.join(map(repr, columns))}.",
        f"Name it '{role}' (also understood: {', '.join(SYNONYMS[role][1:])}).",
    )


def _ranks(values: pl.Series, place: Any) -> pl.Series:
    """Ranks as whole numbers from 1 on; a missing rank is a page without a click."""
    ranks = (
        values.cast(pl.Int64, strict=False) if values.dtype != pl.String else values.str.strip_chars().replace("", None)
    )
    ranks = ranks.cast(pl.Int64, strict=False)
    whole = ranks.cast(pl.Float64) == values.cast(pl.Float64, strict=False)
    blank = values.is_null() if values.dtype != pl.String else values.is_null() | (values.str.strip_chars() == "")
    bad = (~blank & ~(whole & (ranks >= 1)).fill_null(False)).arg_true()
    if len(bad):
        row = int(bad[0])
        raise FileError(f"{place(row)}: the rank {values[row]!r} is no whole number from 1 on.")
    return ranks


def _times(values: pl.Series, place: Any) -> pl.Series:
    """Times as numbers; dates and times of day become seconds."""
    if values.dtype.is_temporal():
        seconds = values.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
    else:
        seconds = values.cast(pl.Float64, strict=False)
    bad = (seconds.is_null() | ~seconds.is_finite().fill_null(False)).arg_true()
    if len(bad):
        row = int(bad[0])
        if values[row] is None:
            raise FileError(
                f"{place(row)}: the time is missing.",
                "Give every row a time, or leave the column out: clicks are then taken in the order of the rows.",
            )
        raise FileError(f"{place(row)}: the time {values[row]!r} is neither a number nor a date.")
    return seconds
