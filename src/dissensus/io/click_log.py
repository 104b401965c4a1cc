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

from dissensus.engine.machine_code import njit
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


@njit(nogil=True)
def count_lines(text):  # type: ignore[no-untyped-def]
    """(lines, tabs): room enough for every record and every url."""
    lines, tabs = 0, 0
    for byte in text:
        if byte == 10:
            lines += 1
        elif byte == 9:
            tabs += 1
    return lines, tabs


@njit(nogil=True)
def parse(text, page, rank, dwell, query_at, query_end, length, session_at, session_key, url_at, url_end):  # type: ignore[no-untyped-def]
    """Fill the arrays; (clicks, pages, sessions, clicks elsewhere, what is wrong, on which line)."""
    clicks, pages, sessions, elsewhere = 0, 0, 0, 0
    urls, line = 0, 0
    session_page, session_from, session_to = 0, 0, 0
    last_click, last_time = -1, 0
    page_urls = np.empty(len(page) + 1, np.int64)  # first url of each page
    page_urls[0] = 0
    tabs = np.empty(4, np.int64)
    i, size = 0, len(text)
    while i < size:
        start = i
        i, end, found = next_line(text, start, tabs)
        line += 1
        if end == start:
            continue
        while found > 0 and tabs[found - 1] >= end:  # a field that is empty at the end of a line is not there
            found -= 1
        if found < 3:
            return clicks, pages, sessions, elsewhere, 1, line
        time = whole_number(text, tabs[0] + 1, tabs[1])
        if time < 0:
            return clicks, pages, sessions, elsewhere, 3, line
        action = text[tabs[1] + 1]
        if tabs[2] != tabs[1] + 2 or (action != 81 and action != 67):
            return clicks, pages, sessions, elsewhere, 2, line
        if sessions == 0 or not same(text, start, tabs[0], session_from, session_to):
            session_at[sessions, 0], session_at[sessions, 1] = start, tabs[0]
            session_key[sessions] = hashed(text, start, tabs[0])
            sessions += 1
            session_from, session_to = start, tabs[0]
            session_page = pages
            last_click = -1
        elif time < last_time:
            return clicks, pages, sessions, elsewhere, 5, line
        if last_click >= 0:
            dwell[last_click] = time - last_time
            last_click = -1
        last_time = time
        if action == 81:
            if found < 4:
                return clicks, pages, sessions, elsewhere, 1, line
            query_at[pages], query_end[pages] = tabs[2] + 1, tabs[3]
            urls = read_urls(text, tabs[3] + 1, end, url_at, url_end, urls)
            length[pages] = urls - page_urls[pages]
            pages += 1
            page_urls[pages] = urls
            continue
        if pages == session_page:
            return clicks, pages, sessions, elsewhere, 4, line
        url_to = tabs[3] if found == 4 else end
        on, at = shown(text, tabs[2] + 1, url_to, url_at, url_end, page_urls, session_page, pages)
        if on < 0:
            elsewhere += 1
            continue
        page[clicks], rank[clicks], dwell[clicks] = on, at, np.nan
        last_click = clicks
        clicks += 1
    return clicks, pages, sessions, elsewhere, 0, 0


@njit(nogil=True)
def next_line(text, start, tabs):  # type: ignore[no-untyped-def]
    """(where the next line begins, where this one ends, how many of its first four tabs are in `tabs`)."""
    i, found = start, 0
    while text[i] != 10:
        if text[i] == 9 and found < 4:
            tabs[found] = i
            found += 1
        i += 1
    end = i
    while end > start and (text[end - 1] == 13 or text[end - 1] == 9):  # CR, and tabs after the last url
        end -= 1
    return i + 1, end, found


@njit(nogil=True)
def read_urls(text, j, end, url_at, url_end, urls):  # type: ignore[no-untyped-def]
    """Note where the urls after the region are, from number `urls` on; how many there are now."""
    while j < end and text[j] != 9:  # the region
        j += 1
    while j < end:
        j += 1
        url_at[urls] = j
        while j < end and text[j] != 9:
            j += 1
        url_end[urls] = j
        urls += 1
    return urls


@njit(nogil=True)
def whole_number(text, start, end):  # type: ignore[no-untyped-def]
    """A stretch of at most 18 digits as a number, −1 if it is none."""
    number = 0 if 0 < end - start <= 18 else -1
    for j in range(start, end):
        if text[j] < 48 or text[j] > 57 or number < 0:
            return -1
        number = number * 10 + (text[j] - 48)
    return number


@njit(nogil=True)
def hashed(text, start, end):  # type: ignore[no-untyped-def]
    """FNV-1a of a stretch of text."""
    key = np.uint64(14695981039346656037)
    for j in range(start, end):
        key = (key ^ np.uint64(text[j])) * np.uint64(1099511628211)
    return key


@njit(nogil=True)
def shown(text, start, end, url_at, url_end, page_urls, first_page, pages):  # type: ignore[no-untyped-def]
    """(page, rank) of the latest page of the session that shows a url; −1 if none does."""
    for p in range(pages - 1, first_page - 1, -1):
        for u in range(page_urls[p], page_urls[p + 1]):
            if same(text, start, end, url_at[u], url_end[u]):
                return p, u - page_urls[p] + 1
    return -1, -1


@njit(nogil=True)
def same(text, a, a_end, b, b_end):  # type: ignore[no-untyped-def]
    """Are two stretches of text equal?"""
    if a_end - a != b_end - b:
        return False
    for k in range(a_end - a):  # noqa: SIM110  (a generator does not compile)
        if text[a + k] != text[b + k]:
            return False
    return True
