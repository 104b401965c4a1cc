"""Sort judgments into items, as a kernel: within each topic by document id, then assessor, then order of arrival.

Ids of one topic often begin with the same letters (FT911-…). They are compared by the eight bytes behind what all of
them share, as one big-endian word, and byte by byte only where those agree.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.join.sorting import sort_by_id, sort_pairs
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, byte_at, compare_spans, refuse_outside, swap_bytes, word_at

_UP = 1
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SIGN = np.uint64(1 << 63)


@njit(nogil=True)
def differ(a, b, text, start, length):  # type: ignore[no-untyped-def]
    """Have two rows different ids?"""
    return compare_spans(text + start[a], np.int64(length[a]), text + start[b], np.int64(length[b])) != 0


@njit(nogil=True)
def telling_words(rows, lo, hi, text, start, length, prefix):  # type: ignore[no-untyped-def]
    """The eight bytes of each id behind what all ids of the topic begin with, as words that compare as texts do."""
    if lo == hi:
        return
    first = text + start[rows[lo]]
    shared = np.int64(length[rows[lo]])
    for i in range(lo + 1, hi):
        other = text + start[rows[i]]
        shared = min(shared, np.int64(length[rows[i]]))
        k = 0
        while k < shared and byte_at(first + k) == byte_at(other + k):
            k += 1
        shared = np.int64(k)
    for i in range(lo, hi):
        r = rows[i]
        left = np.int64(length[r]) - shared
        word = swap_bytes(word_at(text + start[r] + shared))
        if left < 8:
            word = word & (_ALL << np.uint64(64 - 8 * left)) if left > 0 else np.uint64(0)
        prefix[r] = word


@njit(nogil=True)
def sort_words(rows, lo, hi, prefix, key, row, spare_key, spare):  # type: ignore[no-untyped-def]
    """Sort `rows[lo:hi]` by their words alone."""
    n = hi - lo
    for i in range(n):
        key[i], row[i] = np.int64(prefix[rows[lo + i]] ^ _SIGN), rows[lo + i]  # as signed numbers, in the same order
    sort_pairs(key, row, spare_key, spare, n)
    for i in range(n):
        rows[lo + i] = row[i]


@njit(nogil=True)
def group(rows, bounds, ids, start, length, who):  # type: ignore[no-untyped-def]
    """Sort the rows of every topic (`rows[bounds[t]:bounds[t + 1]]`) in place; the item of each sorted row.

    `ids` has eight spare bytes at its end, or it is an IndexError.
    """
    refuse_outside(len(ids), start, length, 8)
    text = address_of(ids)
    prefix = np.empty(len(rows), np.uint64)
    spare = np.empty(len(rows), np.int64)
    item = np.empty(len(rows), np.int32)
    largest = 0
    for t in range(len(bounds) - 1):
        largest = max(largest, bounds[t + 1] - bounds[t])
    lists = np.empty((4, largest), np.int64)
    items = -1
    for t in range(len(bounds) - 1):
        lo, hi = bounds[t], bounds[t + 1]
        telling_words(rows, lo, hi, text, start, length, prefix)
        sort_words(rows, lo, hi, prefix, lists[0], lists[1], lists[2], lists[3])
        a = lo
        while a < hi:  # ids with the same word: whole ids, assessors
            b = a + 1
            while b < hi and prefix[rows[b]] == prefix[rows[a]]:
                b += 1
            if b - a > 1:
                sort_by_id(rows, spare, a, b, text, start, length, _UP, who)
            for i in range(a, b):
                items += i == a or differ(rows[i], rows[i - 1], text, start, length)
                item[i] = items
            a = b
    return item
