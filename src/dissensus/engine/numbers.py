"""Numbers in text, as kernels: eight digits at a time where they are plain, one by one where they are not."""

from __future__ import annotations

import numpy as np

from dissensus.engine.decimals import to_double
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import byte_at, trailing_zeros, word_at

_HIGHS = np.uint64(0x8080808080808080)
_ZEROS = np.uint64(0x3030303030303030)
_BELOW_TEN = np.uint64(0x7676767676767676)
_TENS = np.array([10**i for i in range(9)], np.uint64)
_POWERS = np.array([float(10**i) for i in range(16)])


@njit(nogil=True)
def any_number(p):  # type: ignore[no-untyped-def]
    """(value, end, trouble) of the decimal number at `p`; trouble 1: Python must read it, 2: it is not a number."""
    c = byte_at(p)
    negative = c == 45
    if negative or c == 43:
        p += 1
    w, q, digits, point = np.uint64(0), 0, 0, -1
    first = p
    while True:
        c = byte_at(p)
        if 48 <= c <= 57:
            if digits < 19:
                w = w * np.uint64(10) + np.uint64(c - 48)
                digits += w != np.uint64(0)  # zeros in front do not count
            else:
                digits = 99
        elif c == 46 and point < 0:
            point = p
        else:
            break
        p += 1
    if p - first - (point >= 0) == 0:
        return 0.0, p, 2
    if point >= 0:
        q = point + 1 - p
    if c == 101 or c == 69:
        p += 1
        minus = byte_at(p) == 45
        if minus or byte_at(p) == 43:
            p += 1
        power, first = 0, p
        while 48 <= byte_at(p) <= 57:
            if power < 100_000:
                power = power * 10 + (byte_at(p) - 48)
            p += 1
        if p == first:
            return 0.0, p, 2
        q += -power if minus else power
    if digits == 99:
        return 0.0, p, 1
    value, ok = to_double(w, q)
    # adding zero makes one score of 0 and −0
    return (-value if negative else value) + 0.0, p, 0 if ok else 1


@njit(nogil=True)
def count_digits(word):  # type: ignore[no-untyped-def]
    """How many of a word's bytes, from the first on, are digits."""
    x = word ^ _ZEROS
    other = ((x + _BELOW_TEN) | x) & _HIGHS
    return 8 if other == np.uint64(0) else trailing_zeros(other) >> 3


@njit(nogil=True)
def digits_value(word, n):  # type: ignore[no-untyped-def]
    """The number that a word's first n bytes write, 1 ≤ n ≤ 8: neighbours are joined three times."""
    word = (word << np.uint64(64 - 8 * n)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word = ((word * np.uint64(2561)) >> np.uint64(8)) & np.uint64(0x00FF00FF00FF00FF)
    word = ((word * np.uint64(6553601)) >> np.uint64(16)) & np.uint64(0x0000FFFF0000FFFF)
    return (word * np.uint64(42949672960001)) >> np.uint64(32)


@njit(nogil=True, inline="always")
def number(p):  # type: ignore[no-untyped-def]
    """(value, end, trouble) of the number at `p`: one to seven digits, a point, up to fifteen more; or any other."""
    first = p
    negative = byte_at(p) == 45
    p += negative
    word = word_at(p)
    whole = count_digits(word)
    if whole == 0 or whole == 8:
        return any_number(first)
    w = digits_value(word, whole)
    p += whole
    part = 0
    if byte_at(p) == 46:
        p += 1
        word = word_at(p)
        part = count_digits(word)
        if part > 0:
            w = w * _TENS[part] + digits_value(word, part)
            p += part
        if part == 8:
            word = word_at(p)
            more = count_digits(word)
            if more == 8 or whole + 8 + more > 19:
                return any_number(first)
            if more > 0:
                w = w * _TENS[more] + digits_value(word, more)
                p += more
                part += more
    if byte_at(p) > 32:
        return any_number(first)
    if w < np.uint64(1 << 53):
        value = float(np.int64(w)) / _POWERS[part]
    else:
        value, ok = to_double(w, -part)
        if not ok:
            return 0.0, p, 1
    return (-value if negative else value) + 0.0, p, 0


@njit(nogil=True)
def small_integer(p):  # type: ignore[no-untyped-def]
    """(value, end) of the digits at `p`, at most seven of them: eight or more are not read."""
    word = word_at(p)
    n = count_digits(word)
    if n == 0 or n == 8:
        return np.uint64(0), p
    return digits_value(word, n), p + n
