"""Sort short lists of 64-bit keys together with their rows, as kernels: what rankings and pools are put in order by.

Comparisons whose outcome cannot be guessed cost the processor fifteen cycles each, so there are none: within a block
every key is compared with all others at once (vector instructions) and the count is its place; blocks are merged by
selecting, not by branching. Equal keys keep their order; what they do not tell apart is sorted by whole ids.
"""

from __future__ import annotations

import numpy as np

from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import compare_spans

BLOCK = 16
SHORT = 12  # below this, insertion is faster than merging


@njit(nogil=True)
def place_block(key, row, out_key, out_row, lo, hi):  # type: ignore[no-untyped-def]
    """Write the keys `lo:hi` of a list in order to the same places of another; the rows with them."""
    for i in range(lo, hi):
        out_row[i] = -1
    for i in range(lo, hi):
        mine = key[i]
        before = 0
        if hi - lo == BLOCK:  # a number the compiler knows: it unrolls the loop
            for j in range(BLOCK):
                before += key[lo + j] < mine
        else:
            for j in range(lo, hi):
                before += key[j] < mine
        at = lo + before
        while out_row[at] >= 0:  # an equal key came first
            at += 1
        out_key[at], out_row[at] = mine, row[i]


@njit(nogil=True)
def merge(key, row, out_key, out_row, lo, middle, hi):  # type: ignore[no-untyped-def]
    """Merge the sorted keys `lo:middle` and `middle:hi` into the same places of another list."""
    i, j, k = lo, middle, lo
    while i < middle and j < hi:
        a, b, x, y = key[i], key[j], row[i], row[j]
        first = a <= b
        out_key[k] = a if first else b
        out_row[k] = x if first else y
        i += first
        j += not first
        k += 1
    while i < middle:
        out_key[k], out_row[k] = key[i], row[i]
        i, k = i + 1, k + 1
    while j < hi:
        out_key[k], out_row[k] = key[j], row[j]
        j, k = j + 1, k + 1


@njit(nogil=True)
def sort_pairs(key, row, spare_key, spare_row, n):  # type: ignore[no-untyped-def]
    """Sort the first n keys in place, and their rows (none below zero) with them; spare lists are as long."""
    sorted_already = True
    for i in range(1, n):
        sorted_already &= key[i - 1] <= key[i]
    if sorted_already:
        return
    width, levels = BLOCK, 0
    while width < n:
        width, levels = 2 * width, levels + 1
    # after an odd number of passes, the blocks among them, the result lies in the spare lists: begin there
    if levels % 2 == 0:
        spare_key[:n] = key[:n]
        spare_row[:n] = row[:n]
        key, spare_key, row, spare_row = spare_key, key, spare_row, row
    for lo in range(0, n, BLOCK):
        place_block(key, row, spare_key, spare_row, lo, min(lo + BLOCK, n))
    key, spare_key, row, spare_row = spare_key, key, spare_row, row
    width = BLOCK
    while width < n:
        for lo in range(0, n, 2 * width):
            merge(key, row, spare_key, spare_row, lo, min(lo + width, n), min(lo + 2 * width, n))
        key, spare_key, row, spare_row = spare_key, key, spare_row, row
        width *= 2


@njit(nogil=True)
def comes_after(a, b, text, start, length, sign, then):  # type: ignore[no-untyped-def]
    """Does row a come after row b: by its id (downwards where `sign` is −1), then by `then`, unless it is None?"""
    order = compare_spans(text + start[a], np.int64(length[a]), text + start[b], np.int64(length[b]))
    if then is None:
        return order * sign > 0
    return order * sign > 0 or (order == 0 and then[a] > then[b])


@njit(nogil=True)
def sort_by_id(rows, spare, lo, hi, text, start, length, sign, then):  # type: ignore[no-untyped-def]
    """Sort `rows[lo:hi]` as `comes_after` says: short stretches by insertion, then merged; equal rows stay in order."""
    for a in range(lo, hi, SHORT):
        for i in range(a + 1, min(a + SHORT, hi)):
            row = rows[i]
            j = i - 1
            while j >= a and comes_after(rows[j], row, text, start, length, sign, then):
                rows[j + 1] = rows[j]
                j -= 1
            rows[j + 1] = row
    width = SHORT
    while width < hi - lo:
        for a in range(lo, hi - width, 2 * width):
            middle, end = a + width, min(a + 2 * width, hi)
            if not comes_after(rows[middle - 1], rows[middle], text, start, length, sign, then):
                continue
            for i in range(a, middle):
                spare[i] = rows[i]
            i, j, k = a, middle, a
            while i < middle:
                if j < end and comes_after(spare[i], rows[j], text, start, length, sign, then):
                    rows[k] = rows[j]
                    j += 1
                else:
                    rows[k] = spare[i]
                    i += 1
                k += 1
        width *= 2
