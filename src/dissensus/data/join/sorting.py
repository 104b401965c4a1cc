"""Sort short lists of 64-bit keys together with their rows, as a kernel: what rankings and pools are put in order by.

Comparisons whose outcome cannot be guessed cost the processor fifteen cycles each, so there are none: within a block
every key is compared with all others at once (vector instructions) and the count is its place; blocks are merged by
selecting, not by branching. Equal keys keep their order.
"""

from __future__ import annotations

from dissensus.data.scanner.machine_code import njit

BLOCK = 16


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
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
