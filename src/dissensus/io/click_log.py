"""Yandex's session log, parsed in one pass over its bytes.

    session <TAB> time <TAB> Q <TAB> query <TAB> region <TAB> url <TAB> url …
    session <TAB> time <TAB> C <TAB> url

A click belongs to the latest page of its session that shows the clicked url; the time until the session's next action
is how long the user stayed. Urls are compared byte by byte where they lie.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.engine.click_kernel import count_lines, parse
from dissensus.errors import FileError
from dissensus.io.contents import line_at
from dissensus.tables.clicks import Clicks
from dissensus.tables.columns import code
from dissensus.tables.ids import first_unseen
from dissensus.wording import counted

FEW_FIELDS, NO_ACTION, NO_TIME, NO_PAGE, BACK_IN_TIME = 1, 2, 3, 4, 5
_WRONG = {
    FEW_FIELDS: (
        "has too few fields",
        "A query has session, time, Q, query, region and urls; a click session, time, C, url.",
    ),
    NO_ACTION: ("has an action that is neither Q nor C in its third field", "Leave other records out."),
    NO_TIME: (
        "has a time that is not a whole number (18 digits at most)",
        "Times are whole numbers, counted from the session's start.",
    ),
    NO_PAGE: ("is a click before any query of its session", "Sort the log by session and time."),
    BACK_IN_TIME: ("is earlier than the line before it in the same session", "Sort the log by session and time."),
}


def parse_session_log(data: bytes, source: str) -> Clicks:
    """Clicks from the bytes of a session log."""
    if not data.endswith(b"\n"):
        data += b"\n"
    text = np.frombuffer(data, np.uint8)
    if (odd := first_unseen(text)) is not None:
        raise FileError(
            f"{source}:{line_at(data, odd)} holds a character that nobody sees.", "Take it out: it makes another id."
        )
    lines, urls = count_lines(text)
    page, rank, dwell = np.empty(lines, np.int64), np.empty(lines, np.int32), np.empty(lines)
    query_at, query_end = np.empty(lines, np.int64), np.empty(lines, np.int64)
    length, session_at, session_key = (
        np.empty(lines, np.int32),
        np.empty((lines, 2), np.int64),
        np.empty(lines, np.uint64),
    )
    clicks, pages, sessions, elsewhere, wrong, line = parse(
        text, page, rank, dwell, query_at, query_end, length, session_at, session_key,
        np.empty(urls, np.int64), np.empty(urls, np.int64),
    )  # fmt: skip
    if wrong:
        what, way_out = _WRONG[wrong]
        shown = data.split(b"\n", line)[line - 1].decode("utf-8", "replace").rstrip("\r")
        shown = shown if len(shown) <= 60 else f"{shown[:60]}…"
        raise FileError(f"{source}:{line} {what}: {shown!r}.", way_out)
    _refuse_split_sessions(data, session_at[:sessions], session_key[:sessions], source)
    names = pl.Series(
        [data[a:b] for a, b in zip(query_at[:pages].tolist(), query_end[:pages].tolist(), strict=True)], dtype=pl.Binary
    )
    try:
        queries, query = code(names.cast(pl.String))
    except pl.exceptions.PolarsError:
        raise FileError(f"{source}: a query id is not UTF-8 text.") from None
    order = np.argsort(page[:clicks], kind="stable")  # a click may go back to an earlier page of its session
    notes = ["times are in the log's own unit"]
    if elsewhere:
        notes.append(f"{counted(elsewhere, 'click')} on documents that were not on a page of their session left out")
    return Clicks(
        queries=queries,
        page=page[:clicks][order],
        rank=rank[:clicks][order],
        dwell=dwell[:clicks][order],
        page_query=query,
        page_length=length[:pages].copy(),
        notes=tuple(notes),
    )


def _refuse_split_sessions(data: bytes, at: NDArray[np.int64], key: NDArray[np.uint64], source: str) -> None:
    """A session is a block of lines; equal hashes are looked at, unequal ones need not be."""
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1])
    for i in again.tolist():
        (a, a_end), (b, b_end) = at[order[i]].tolist(), at[order[i + 1]].tolist()
        if data[a:a_end] == data[b:b_end]:
            lines = [data[:place].count(b"\n") + 1 for place in (a, b)]
            name = data[a:a_end].decode("utf-8", "replace")
            raise FileError(
                f"{source}:{lines[0]} and :{lines[1]}: session {name} stands in two places, with another between them.",
                "Sort the log by session and time.",
            )
