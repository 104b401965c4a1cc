"""The kernel of Yandex's session log: one pass over its bytes, clicks joined to the pages that show their urls."""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import njit


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
