"""From a table with one row per click (session, query, rank, time) to clicks in order, page by page."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import polars as pl

from dissensus.data.limits import limit, way_to_raise
from dissensus.data.tables.columns import Place, code, column_or_none, find_column, id_strings
from dissensus.errors import FileError
from dissensus.work.plural import counted

_NUMBER = r"^[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$"
_TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?")


def click_fields(table: pl.DataFrame, source: str, where: Place | None = None) -> dict[str, Any]:
    """The fields of Clicks from a table with session, rank and, where known, query and time."""
    place = where or (lambda row: f"{source}, row {row + 1}")
    columns = {role: find_column(table.columns, role, source) for role in ("session", "rank")}
    query_column, time_column = (column_or_none(table.columns, role, source) for role in ("query", "time"))
    if not table.height:
        raise FileError(f"{source} has a header but no clicks.")
    session = id_strings(table[columns["session"]], "session", place)
    notes = []
    if query_column is None:
        query = pl.Series(["all"]).new_from_index(0, table.height)
        notes.append("no query column: all clicks belong to one query")
    else:
        query = id_strings(table[query_column], "query", place)
    time = None
    if time_column is None:
        notes.append("no time column: clicks in the order of the rows, no holding times")
    else:
        time = _times(table[time_column], place)
    rank = _ranks(table[columns["rank"]], place)
    if rank.null_count():
        notes.append(f"{counted(rank.null_count(), 'row')} without a rank: a page was shown, nothing was clicked")
    return _in_order(session, query, rank, time, notes)


def _in_order(
    session: pl.Series, query: pl.Series, rank: pl.Series, time: pl.Series | None, notes: list[str]
) -> dict[str, Any]:
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
    return {
        "queries": queries,
        "page": page[clicked][by_page].astype(np.int64),
        "rank": ranks[clicked][by_page].astype(np.int32),
        "dwell": dwell[clicked][by_page],
        "page_query": (pages % max(len(queries), 1)).astype(np.int32),
        "page_length": np.zeros(len(pages), np.int32),
        "notes": tuple(notes),
    }


def _ranks(values: pl.Series, place: Place) -> pl.Series:
    """Ranks as whole numbers of at least 1; a missing rank is a page without a click."""
    text = values.cast(pl.String).str.strip_chars(" \t")
    blank = text.is_null() | (text == "")
    if values.dtype.is_float():
        blank |= values.is_nan()
        text = text.str.replace(r"\.0$", "")
    number = text.str.contains(r"^\+?[0-9]{1,18}$").fill_null(False)
    ranks = text.set(~number, None).str.strip_prefix("+").cast(pl.Int64)
    bad = (~blank & ~(ranks >= 1).fill_null(False)).arg_true()
    if len(bad):
        row = int(bad[0])
        raise FileError(f"{place(row)}: the rank {values[row]!r} is not a whole number of at least 1.")
    deepest = ranks.arg_max()
    if deepest is not None:
        refuse_deep(int(ranks[deepest]), place(deepest))
    return ranks


def refuse_deep(rank: int, where: str) -> None:
    """Refuse a rank beyond any result page: a user model keeps a matrix ranks × ranks."""
    if rank > limit("RANK"):
        raise FileError(
            f"{where}: the rank {rank} is above {limit('RANK'):,}, deeper than result pages go.",
            way_to_raise("RANK", rank),
        )


def _times(values: pl.Series, place: Place) -> pl.Series:
    """Times as numbers; dates and times of day become seconds."""
    if values.dtype == pl.Time:
        seconds = values.cast(pl.Int64).cast(pl.Float64) / 1e9
    elif values.dtype.is_temporal():
        seconds = values.cast(pl.Datetime("us")).dt.epoch("us").cast(pl.Float64) / 1e6
    elif values.dtype == pl.String:
        text = values.str.strip_chars(" \t")
        number = text.str.contains(_NUMBER).fill_null(False)
        seconds = text.set(~number, None).cast(pl.Float64)
        if not number.all():  # dates are read one by one
            seconds = seconds.scatter((~number).arg_true(), [_seconds(v) for v in values.filter(~number)])
    else:
        seconds = values.cast(pl.Float64, strict=False)
    bad = (seconds.is_null() | ~seconds.is_finite().fill_null(False)).arg_true()
    if len(bad):
        row = int(bad[0])
        if values[row] is None or str(values[row]).strip() == "":
            raise FileError(
                f"{place(row)}: the time is missing.",
                "Give every row a time, or leave the column out: clicks are then taken in the order of the rows.",
            )
        raise FileError(f"{place(row)}: the time {values[row]!r} is neither a number nor a date.")
    return seconds


def _seconds(text: str | None) -> float | None:
    """A number as it is, a date or a time of day in seconds, None for anything else."""
    from datetime import UTC, datetime

    word = (text or "").strip()
    try:
        return float(word) if math.isfinite(float(word)) and "_" not in word else None
    except ValueError:
        pass
    if day := _TIME_OF_DAY.fullmatch(word):
        return 3600 * int(day[1]) + 60 * int(day[2]) + float(day[3] or 0)
    try:
        moment = datetime.fromisoformat(word)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
