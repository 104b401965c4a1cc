"""Kernel that reads `label qid:7 1:0.5 3:2e-1 #docid = D` lines out of a byte buffer.

It is called twice: first with an empty matrix, to check every line and to learn the number of rows and the span of the
feature numbers; then to fill. Numbers come out as `float(text)` gives them; those that only Python can round are left
to it (`exact` says where they are).
"""

from __future__ import annotations

import numpy as np
from numba import types

from dissensus.engine.machine_code import njit
from dissensus.engine.numbers import number
from dissensus.engine.raw_memory import address_of

# what may be wrong with a line; the reader turns it into a sentence
OK, BAD_LABEL, BAD_INDEX, BAD_VALUE, NOT_ASCENDING, NO_COLON, BAD_QID, INDEX_TOO_LARGE, SECOND_QID = range(9)

_NEWLINE, _RETURN, _SPACE, _TAB, _HASH, _COLON = 10, 13, 32, 9, 35, 58


@njit(nogil=True)
def whole(text, start, stop):  # type: ignore[no-untyped-def]
    """The whole number in text[start:stop], −1 if there is none."""
    if start == stop:
        return -1
    n = 0
    for i in range(start, stop):
        if text[i] < 48 or text[i] > 57 or n > 100_000_000:
            return -1
        n = n * 10 + (text[i] - 48)
    return n


@njit(nogil=True)
def _blank(c):  # type: ignore[no-untyped-def]
    return c in (_SPACE, _TAB, _RETURN)


@njit(nogil=True)
def _skip(text, i, n):  # type: ignore[no-untyped-def]
    """Past the blanks; is anything of the line left that is not a comment?"""
    while i < n and _blank(text[i]):
        i += 1
    return i, i < n and text[i] != _NEWLINE and text[i] != _HASH


@njit(nogil=True)
def _word(text, i, n):  # type: ignore[no-untyped-def]
    """(end of the word at i, its first colon or −1)."""
    colon = -1
    while i < n and text[i] != _NEWLINE and text[i] != _HASH and not _blank(text[i]):
        if text[i] == _COLON and colon < 0:
            colon = i
        i += 1
    return i, colon


@njit(nogil=True)
def _line_end(text, i, n):  # type: ignore[no-untyped-def]
    while i < n and text[i] != _NEWLINE:
        i += 1
    return i


@njit(nogil=True)
def _note(exact, at, row, column, start, stop):  # type: ignore[no-untyped-def]
    """Leave a number to Python, where there is room to say so."""
    if len(exact):
        exact[at, 0], exact[at, 1], exact[at, 2], exact[at, 3] = row, column, start, stop


@njit(nogil=True, inline="always")
def _feature(text, base, start, colon, stop, previous):  # type: ignore[no-untyped-def]
    """(status, feature number, its value, must Python read it) of the word `number:value` at text[start:stop]."""
    index = whole(text, start, colon)
    if index < 0:
        return BAD_INDEX, index, 0.0, False
    if index <= previous:
        return NOT_ASCENDING, index, 0.0, False
    value, end, trouble = number(base + colon + 1)
    if trouble == 2 or end != base + stop:
        return BAD_VALUE, index, value, False
    return OK, index, value, trouble == 1


_READONLY = types.Array(types.uint8, 1, "C", readonly=True)
_SIGNATURE = types.UniTuple(types.int64, 7)(
    _READONLY,
    types.int64,
    types.int64,
    types.float64[:, ::1],
    types.float64[::1],
    types.int64[:, ::1],
    types.int64[:, ::1],
    types.int64[::1],
    types.int64[:, ::1],
)


@njit(_SIGNATURE, nogil=True)
def scan(text, size, first, matrix, label, qid, comment, offset, exact):  # type: ignore[no-untyped-def]
    """Read all lines; fill the arrays if they have rows.

    Returns (status, at, to, rows, lowest feature, highest feature, numbers left to Python). The text is `size` bytes
    long. It has eight spare bytes behind it, or it is an IndexError. `exact` holds (row, column or −1 for the label,
    from, to).
    `qid` and `comment` hold start and stop of their text, −1 where there is none; `offset` where each row begins.
    """
    if size + 8 > len(text):
        raise IndexError("there is no room behind the text")
    fill = len(label) > 0
    base = address_of(text)
    left, i, n, row = 0, 0, size, 0
    low = np.int64(2**40)
    high = np.int64(-1)
    while i < n:
        line = i
        start, more = _skip(text, i, n)
        if not more:  # empty, or a comment alone
            i = _line_end(text, start, n) + 1
            continue
        i, colon = _word(text, start, n)
        value, end, trouble = number(base + start)
        if trouble == 2 or end != base + i:
            return BAD_LABEL, start, i, row, low, high, left
        if trouble == 1:
            _note(exact, left, row, -1, start, i)
            left += 1
        if fill:
            label[row], offset[row], qid[row, 0], comment[row, 0] = value, line, -1, -1
        previous = -1
        queries = 0
        while True:
            start, more = _skip(text, i, n)
            if not more:
                i = start
                break
            i, colon = _word(text, start, n)
            if colon < 0:
                return NO_COLON, start, i, row, low, high, left
            if colon - start == 3 and text[start] == 113 and text[start + 1] == 105 and text[start + 2] == 100:
                if colon + 1 == i:
                    return BAD_QID, start, i, row, low, high, left
                queries += 1
                if queries > 1:
                    return SECOND_QID, start, i, row, low, high, left
                if fill:
                    qid[row, 0], qid[row, 1] = colon + 1, i
                continue
            status, index, value, long = _feature(text, base, start, colon, i, previous)
            if status != OK:
                return status, start, i, row, low, high, left
            previous = index
            if long:
                _note(exact, left, row, index - first, colon + 1, i)
                left += 1
            low = min(low, index)
            high = max(high, index)
            if fill:
                if index - first >= matrix.shape[1]:
                    return INDEX_TOO_LARGE, start, i, row, low, high, left
                matrix[row, index - first] = value
        if i < n and text[i] == _HASH:
            start, i = i + 1, _line_end(text, i, n)
            if fill:
                comment[row, 0], comment[row, 1] = start, i
        row += 1
        i += 1
    return OK, 0, 0, row, low, high, left
