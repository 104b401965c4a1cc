"""Whole numbers as decimal text in one buffer: ids that a table holds as numbers, hashed like all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.data.scanner.machine_code import njit

MOST = 19  # digits of a 64-bit number


@njit(cache=True, nogil=True)
def write_digits(values, text, start, length):  # type: ignore[no-untyped-def]
    """Write every number of `values` (none below zero) behind the one before; the number of bytes written."""
    at = 0
    for i in range(len(values)):
        value = np.uint64(values[i])
        digits = 1
        limit = np.uint64(10)
        while digits < 19 and value >= limit:
            digits += 1
            limit *= np.uint64(10)
        start[i] = at
        length[i] = digits
        k = at + digits - 1
        while k > at:  # two digits for one division
            higher = value // np.uint64(100)
            pair = value - higher * np.uint64(100)
            tens = pair // np.uint64(10)
            text[k] = np.uint8(48 + (pair - tens * np.uint64(10)))
            text[k - 1] = np.uint8(48 + tens)
            value = higher
            k -= 2
        if k == at:
            text[k] = np.uint8(48 + value)
        at += digits
    return at


def digits_of(values: NDArray[np.int64], spare: int) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint16]]:
    """(text with `spare` bytes behind it, where each number begins, how long it is).

    >>> text, start, length = digits_of(np.array([7, 120]), 0)
    >>> bytes(text), start.tolist(), length.tolist()
    (b'7120', [0, 1], [1, 3])
    """
    longest = len(str(int(values.max(initial=0))))
    text = np.zeros(len(values) * longest + spare, np.uint8)
    start, length = np.empty(len(values), np.int64), np.empty(len(values), np.uint16)
    used = write_digits(np.ascontiguousarray(values), text, start, length)
    return text[: used + spare], start, length
