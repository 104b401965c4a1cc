"""Kernel that reads `label qid:7 1:0.5 3:2e-1 #docid = D` lines out of a byte buffer.

It is called twice: first with an empty matrix, to check every line and to learn the number of rows and the span of the
feature numbers; then to fill. Numbers of up to 15 digits come out exactly as `float(text)` gives them, longer ones to
within two units in the last place.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types

# what may be wrong with a line; the reader turns it into a sentence
OK, BAD_LABEL, BAD_INDEX, BAD_VALUE, NOT_ASCENDING, NO_COLON, BAD_QID, INDEX_TOO_LARGE = range(8)

_POWERS = 10.0 ** np.arange(23)
_NEWLINE, _RETURN, _SPACE, _TAB, _HASH, _COLON = 10, 13, 32, 9, 35, 58


@njit(cache=True, nogil=True)
def number(text, start, stop):  # type: ignore[no-untyped-def]
    """(value, True) of the decimal number in text[start:stop], or (0, False) if there is none."""
    i = start
    negative = False
    if i < stop and (text[i] == 45 or text[i] == 43):
        negative = text[i] == 45
        i += 1
    mantissa = np.int64(0)
    exponent = 0
    digits = 0
    point = False
    while i < stop:
        c = text[i]
        if 48 <= c <= 57:
            digits += 1
            if mantissa < 100_000_000_000_000_000:
                mantissa = mantissa * 10 + (c - 48)
                if point:
                    exponent -= 1
            elif not point:
                exponent += 1
        elif c == 46 and not point:
            point = True
        else:
            break
        i += 1
    if digits == 0:
        return 0.0, False
    if i < stop and (text[i] == 101 or text[i] == 69):
        i += 1
        down = False
        if i < stop and (text[i] == 45 or text[i] == 43):
            down = text[i] == 45
            i += 1
        power = 0
        seen = 0
        while i < stop and 48 <= text[i] <= 57:
            if power < 100_000:
                power = power * 10 + (text[i] - 48)
            seen += 1
            i += 1
        if seen == 0:
            return 0.0, False
        exponent += -power if down else power
    if i != stop:
        return 0.0, False
    value = float(mantissa)
    if mantissa == 0:
        exponent = 0
    if exponent < -340:
        value = 0.0
        exponent = 0
    while exponent < 0:
        step = min(22, -exponent)
        value /= _POWERS[step]
        exponent += step
    while exponent > 0 and value < 1e308:
        step = min(22, exponent)
        value *= _POWERS[step]
        exponent -= step
    if not value < 1e308:
        return 0.0, False
    return (-value if negative else value), True


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _blank(c):  # type: ignore[no-untyped-def]
    return c in (_SPACE, _TAB, _RETURN)


_READONLY = types.Array(types.uint8, 1, "C", readonly=True)
_SIGNATURE = types.UniTuple(types.int64, 6)(
    _READONLY,
    types.int64,
    types.float64[:, ::1],
    types.float64[::1],
    types.int64[:, ::1],
    types.int64[:, ::1],
    types.int64[::1],
)


@njit(_SIGNATURE, cache=True, nogil=True)
def scan(text, first, matrix, label, qid, comment, offset):  # type: ignore[no-untyped-def]
    """Read all lines; fill the arrays if they have rows. (status, at, to, rows, lowest feature, highest feature).

    `qid` and `comment` hold start and stop of their text, −1 where there is none; `offset` where each row begins.
    """
    fill = len(label) > 0
    i = 0
    n = len(text)
    row = 0
    low = np.int64(2**40)
    high = np.int64(-1)
    while i < n:
        line = i
        while i < n and _blank(text[i]):
            i += 1
        if i == n or text[i] == _NEWLINE or text[i] == _HASH:  # empty, or a comment alone
            while i < n and text[i] != _NEWLINE:
                i += 1
            i += 1
            continue
        start = i
        while i < n and text[i] != _NEWLINE and text[i] != _HASH and not _blank(text[i]):
            i += 1
        value, good = number(text, start, i)
        if not good:
            return BAD_LABEL, start, i, row, low, high
        if fill:
            label[row] = value
            offset[row] = line
            qid[row, 0] = -1
            comment[row, 0] = -1
        previous = -1
        while True:
            while i < n and _blank(text[i]):
                i += 1
            if i == n or text[i] == _NEWLINE or text[i] == _HASH:
                break
            start = i
            colon = -1
            while i < n and text[i] != _NEWLINE and text[i] != _HASH and not _blank(text[i]):
                if text[i] == _COLON and colon < 0:
                    colon = i
                i += 1
            if colon < 0:
                return NO_COLON, start, i, row, low, high
            if colon - start == 3 and text[start] == 113 and text[start + 1] == 105 and text[start + 2] == 100:
                if colon + 1 == i:
                    return BAD_QID, start, i, row, low, high
                if fill:
                    qid[row, 0] = colon + 1
                    qid[row, 1] = i
                continue
            index = whole(text, start, colon)
            if index < 0:
                return BAD_INDEX, start, i, row, low, high
            if index <= previous:
                return NOT_ASCENDING, start, i, row, low, high
            previous = index
            value, good = number(text, colon + 1, i)
            if not good:
                return BAD_VALUE, start, i, row, low, high
            low = min(low, index)
            high = max(high, index)
            if fill:
                if index - first >= matrix.shape[1]:
                    return INDEX_TOO_LARGE, start, i, row, low, high
                matrix[row, index - first] = value
        if i < n and text[i] == _HASH:
            start = i + 1
            while i < n and text[i] != _NEWLINE:
                i += 1
            if fill:
                comment[row, 0] = start
                comment[row, 1] = i
        row += 1
        i += 1
    return OK, 0, 0, row, low, high
