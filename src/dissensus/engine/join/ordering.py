"""Put rankings into rank order and find documents that occur twice, as kernels.

Rank order: score descending, ties by document id descending in byte order. Most files are in order already: one look
at each row tells. What is not is sorted by score alone, then ties are sorted by their ids.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.join.sorting import sort_by_id, sort_pairs
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, compare_spans, refuse_outside

_DOWN = -1
_BELOW_SIGN = np.int64(0x7FFFFFFFFFFFFFFF)


@njit(nogil=True)
def comes_after(a, b, text, start, length):  # type: ignore[no-untyped-def]
    """Does row a come after row b, whose score is the same?"""
    return compare_spans(text + start[a], np.int64(length[a]), text + start[b], np.int64(length[b])) < 0


@njit(nogil=True)
def swap(a, b, score, key, start, length):  # type: ignore[no-untyped-def]
    """Exchange two rows."""
    score[a], score[b] = score[b], score[a]
    key[a], key[b] = key[b], key[a]
    start[a], start[b] = start[b], start[a]
    length[a], length[b] = length[b], length[a]


@njit(nogil=True)
def ordered(lo, hi, score, text, start, length):  # type: ignore[no-untyped-def]
    """Are the rows in rank order?"""
    for r in range(lo + 1, hi):
        if score[r] > score[r - 1] or (score[r] == score[r - 1] and comes_after(r - 1, r, text, start, length)):
            return False
    return True


@njit(nogil=True)
def order_of(lo, hi, score, key, rows, spare_key, spare, text, start, length):  # type: ignore[no-untyped-def]
    """`rows[:hi - lo]`: which row belongs at lo, lo + 1, …"""
    n = hi - lo
    double = key.view(np.float64)
    for i in range(n):
        # the bits of a double as a number that falls as the score rises; −0.0 and 0.0 are one score
        double[i] = score[lo + i] + 0.0
        key[i] = ~(key[i] ^ ((key[i] >> 63) & _BELOW_SIGN))
        rows[i] = lo + i
    sort_pairs(key, rows, spare_key, spare, n)
    a = 0
    while a < n:
        b = a + 1
        while b < n and key[b] == key[a]:
            b += 1
        if b - a > 1:
            sort_by_id(rows, spare, a, b, text, start, length, _DOWN, None)
        a = b


@njit(nogil=True)
def rank(bounds, score, key, ids, start, length):  # type: ignore[no-untyped-def]
    """Put the rows of every segment into rank order, in place."""
    refuse_outside(len(ids), start, length, 0)
    text = address_of(ids)
    longest = 0
    for s in range(len(bounds) - 1):
        longest = max(longest, bounds[s + 1] - bounds[s])
    rows, spare = np.empty(longest, np.int64), np.empty(longest, np.int64)
    worth, spare_worth = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for s in range(len(bounds) - 1):
        lo, hi = bounds[s], bounds[s + 1]
        if ordered(lo, hi, score, text, start, length):
            continue
        order_of(lo, hi, score, worth, rows, spare_worth, spare, text, start, length)
        # row rows[i] goes to lo + i: cycle by cycle, so that no column is copied
        for i in range(lo, hi):
            a = i
            b = rows[a - lo]
            while b != i:
                swap(a, b, score, key, start, length)
                rows[a - lo] = a
                a = b
                b = rows[a - lo]
            rows[a - lo] = a


@njit(nogil=True)
def table_for(bounds):  # type: ignore[no-untyped-def]
    """A hash table of rows for the longest segment, at most a quarter full and empty (−1).

    It serves one segment after the other and is never cleared: a row of an earlier segment is as good as none.
    """
    size, longest = 4, 1
    for s in range(len(bounds) - 1):
        longest = max(longest, bounds[s + 1] - bounds[s])
    while size < 4 * longest:
        size *= 2
    return np.full(size, -1, np.int64)


@njit(nogil=True)
def first_duplicate(bounds, key, ids, start, length):  # type: ignore[no-untyped-def]
    """(earlier row, later row) of a document that a segment holds twice, (−1, −1) if there is none."""
    refuse_outside(len(ids), start, length, 0)
    text, slots = address_of(ids), table_for(bounds)
    mask = np.uint64(len(slots) - 1)
    for s in range(len(bounds) - 1):
        lo = bounds[s]
        for r in range(lo, bounds[s + 1]):
            slot = key[r] & mask
            other = slots[slot]
            while other >= lo:
                if key[other] == key[r] and length[other] == length[r]:
                    n = np.int64(length[r])
                    if compare_spans(text + start[other], n, text + start[r], n) == 0:
                        return other, r
                slot = (slot + np.uint64(1)) & mask
                other = slots[slot]
            slots[slot] = r
    return np.int64(-1), np.int64(-1)


@njit(nogil=True)
def count_repeats(bounds, key):  # type: ignore[no-untyped-def]
    """How many rows have the hash of an earlier row of their segment."""
    slots, repeats = table_for(bounds), 0
    mask = np.uint64(len(slots) - 1)
    for s in range(len(bounds) - 1):
        lo = bounds[s]
        for r in range(lo, bounds[s + 1]):
            slot = key[r] & mask
            while slots[slot] >= lo and key[slots[slot]] != key[r]:
                slot = (slot + np.uint64(1)) & mask
            repeats += slots[slot] >= lo
            slots[slot] = r
    return repeats
