"""From a table with one row per click (session, query, rank, time) to clicks in order, page by page.

Logs are written page by page, in order: *stretches* of rows have one session and one query. Ids are checked, coded and
sorted once per stretch; rows are sorted by time only where a session's times go back. A column of numbers is read at
once; only where that fails is every value looked at, so that an error can name it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import FileError
from dissensus.tables.columns import Place, code, column_or_none, find_column, id_strings, placed
from dissensus.wording import counted
from dissensus.work.limits import limit, way_to_raise

# what every reader of dates understands in the same way, in years whose microseconds are whole numbers of a double
_USUAL_DATE = r"^(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9][T ]([01][0-9]|2[0-3])(:[0-5][0-9]){2}(\.[0-9]{3}([0-9]{3})?)?Z?$"
_TIME_OF_DAY = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]+)?))?")


def click_fields(
    table: pl.DataFrame, source: str, where: Place | None = None, named: Mapping[str, str] | None = None
) -> Values:
    """The fields of Clicks from a table with session, rank and, where known, query and time.

    `named` are the columns that the user named, by role.
    """
    place = placed(where or source)
    own = named or {}
    columns = {role: own.get(role) or find_column(table.columns, role, source) for role in ("session", "rank")}
    query_column, time_column = (
        own.get(role) or column_or_none(table.columns, role, source) for role in ("query", "time")
    )
    if not table.height:
        raise FileError(f"{source} has a header but no clicks.")
    ids = [table[name] for name in (columns["session"], query_column) if name is not None]
    begin = stretches(ids)

    def place_of(stretch: int) -> str:
        return place(int(begin[stretch]))

    session = id_strings(ids[0].gather(begin), "session", place_of)
    notes = []
    if query_column is None:
        query = pl.Series(["all"]).new_from_index(0, len(begin))
        notes.append("no query column: all clicks belong to one query")
    else:
        query = id_strings(ids[1].gather(begin), "query", place_of)
    time = None
    if time_column is None:
        notes.append("no time column: clicks in the order of the rows, no holding times")
    else:
        time = _times(table[time_column], place)
    rank = _ranks(table[columns["rank"]], place)
    if rank.null_count():
        notes.append(f"{counted(rank.null_count(), 'row')} without a rank: a page was shown, nothing was clicked")
    return _in_order(session, query, begin, rank, time, notes)


def stretches(columns: Sequence[pl.Series]) -> NDArray[np.int64]:
    """The rows that differ from the row above in a column of texts or whole numbers; all rows of other columns.

    >>> stretches([pl.Series(["a", "a", "a", "b"]), pl.Series([7, 7, 8, 8])]).tolist()
    [0, 2, 3]
    """
    begins = np.zeros(len(columns[0]), bool)
    begins[0] = True
    for column in columns:
        if column.dtype == pl.String or column.dtype.is_integer():
            begins |= column.ne_missing(column.shift(1)).to_numpy()
        else:
            begins[:] = True
    return np.flatnonzero(begins)


def _in_order(
    session: pl.Series,
    query: pl.Series,
    begin: NDArray[np.int64],
    rank: pl.Series,
    time: pl.Series | None,
    notes: list[str],
) -> dict[str, object]:
    """The fields of Clicks from the session and the query of every stretch, the rank and the time of every row."""
    queries, query_code = code(query)
    session_code = session.rank("dense").to_numpy().astype(np.int64)
    pages, page_code = np.unique(session_code * len(queries) + query_code, return_inverse=True)
    by_session = np.argsort(session_code, kind="stable")
    length = np.diff(begin, append=len(rank))[by_session]
    stretch = np.repeat(by_session, length)
    order = np.arange(len(rank)) + np.repeat(begin[by_session] - (np.cumsum(length) - length), length)
    dwell = np.full(len(rank), np.nan)
    if time is not None:
        when, of_session = time.to_numpy()[order], session_code[stretch]
        same = of_session[1:] == of_session[:-1]
        if (same & (when[1:] < when[:-1])).any():
            by_time = np.lexsort((when, of_session))  # stable: rows of the same time stay in their order
            order, stretch, when = order[by_time], stretch[by_time], when[by_time]
        dwell[:-1] = np.where(same, np.diff(when), np.nan)
    page, ranks = page_code[stretch], rank.fill_null(0).to_numpy()[order]
    if rank.null_count() or (page[1:] < page[:-1]).any():
        clicked = np.flatnonzero(ranks)
        clicked = clicked[np.argsort(page[clicked], kind="stable")]  # a session may go back to an earlier page
        page, ranks, dwell = page[clicked], ranks[clicked], dwell[clicked]
    return {
        "queries": queries,
        "page": page,
        "rank": ranks.astype(np.int32),
        "dwell": dwell,
        "page_query": (pages % len(queries)).astype(np.int32),
        "page_length": np.zeros(len(pages), np.int32),
        "notes": tuple(notes),
    }


def _ranks(values: pl.Series, place: Place) -> pl.Series:
    """Ranks as whole numbers of at least 1; a missing rank is a page without a click."""
    ranks = _plain_ranks(values)
    if ranks is None:
        ranks = _written_ranks(values, place)
    deepest = ranks.arg_max()
    if deepest is not None:
        refuse_deep(int(ranks[deepest]), place(deepest))
    return ranks


def _plain_ranks(values: pl.Series) -> pl.Series | None:
    """Ranks read at once; None unless each is blank or a whole number of at least 1, without sign or zeros ahead."""
    if values.dtype != pl.String and not values.dtype.is_integer():
        return None
    ranks = values.cast(pl.Int64, strict=False)
    blank = values.null_count()
    if values.dtype == pl.String:
        texts = values.unique()  # few, and each must be what its number would be written as
        if (texts.cast(pl.Int64, strict=False).cast(pl.String) != texts).any():
            return None
        if ranks.null_count():
            blank += int((values == "").sum())
    return None if ranks.null_count() != blank or (ranks < 1).any() else ranks


def _written_ranks(values: pl.Series, place: Place) -> pl.Series:
    """The same with signs, blanks and zeros ahead; the first value that is not a rank is an error that names it."""
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
        seconds = values.cast(pl.Float64, strict=False)
        if seconds.null_count():
            text = values.str.strip_chars(" \t")
            seconds = text.cast(pl.Float64, strict=False)
            seconds = seconds.zip_with(seconds.is_not_null(), _usual_dates(text))
        unread = seconds.is_null()
        if unread.any():  # dates of other kinds and times of day are read one by one
            seconds = seconds.scatter(unread.arg_true(), [_seconds(v) for v in values.filter(unread)])
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


def _usual_dates(texts: pl.Series) -> pl.Series:
    """Seconds since 1970 of texts like 2024-03-01T10:00:00.250Z, null for others.

    >>> _usual_dates(pl.Series(["1970-01-02 00:00:01.5", "1970-01-02 00:00:01.500", "1970-02-30T00:00:00"])).to_list()
    [None, 86401.5, None]
    """
    usual = texts.set(~texts.str.contains(_USUAL_DATE).fill_null(False), None)
    if usual.null_count() == len(usual):
        return usual.cast(pl.Float64)
    plain = usual.str.strip_suffix("Z").str.replace("T", " ", literal=True)
    moment = plain.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)
    microseconds = moment.dt.epoch("us").cast(pl.Float64).to_numpy()
    return pl.Series(microseconds / 1e6).fill_nan(None)  # by numpy: Polars multiplies by 1/1e6, which is rounded


def _seconds(text: str | None) -> float | None:
    """A number as it is, a date or a time of day in seconds, None for anything else."""
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
