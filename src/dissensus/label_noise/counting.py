"""Counting document pairs that changed order between two labellings, without looking at pairs.

Of all pairs of documents that the *noisy* labels put in order, some stood in the other order before (*inverse*), some
were tied before (*new*), the rest are *correct*. Two algorithms, one answer:

- few grades: from the table of (original, noisy) grades, O(n + grades²), for many queries at once;
- many grades (total orders, top-k labels): inversions by partitioning on bits, O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.errors import InputError

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class PairCounts:
    """Pairs that the noisy labels put in order: in all, inverse, and new."""

    ordered: int
    inverse: int
    new: int

    @property
    def correct(self) -> int:
        return self.ordered - self.inverse - self.new

    @property
    def noise(self) -> float:
        """(inverse + ½·new) / ordered. NaN if the noisy labels put no pair in order."""
        return (self.inverse + 0.5 * self.new) / self.ordered if self.ordered else float("nan")


def count_pairs(original: ArrayLike, noisy: ArrayLike) -> PairCounts:
    """The pairs of one query, for labels of any kind that can be ordered: grades, fractions, ranks turned round.

    >>> count_pairs([2, 1, 1, 0], [2, 2, 0, 1])
    PairCounts(ordered=5, inverse=1, new=1)
    """
    before, after = np.asarray(original), np.asarray(noisy)
    if before.ndim != 1 or before.shape != after.shape:
        raise InputError(f"original has shape {before.shape}, noisy {after.shape}; both hold one label per document.")
    if any(a.dtype.kind not in "iufb" or (a.dtype.kind == "f" and np.isnan(a).any()) for a in (before, after)):
        raise InputError("labels must be numbers; NaN has no order.")
    rows, row = np.unique(before, return_inverse=True)
    columns, column = np.unique(after, return_inverse=True)
    if len(rows) * len(columns) <= 4 * len(before) + 64:
        table = np.bincount(row * len(columns) + column, minlength=len(rows) * len(columns))
        ordered, inverse, new = from_tables(table.reshape(1, len(rows), len(columns)))
        return PairCounts(int(ordered[0]), int(inverse[0]), int(new[0]))
    return _from_orders(row, column)


def from_tables(table: NDArray[np.integer]) -> tuple[Counts, Counts, Counts]:
    """(ordered, inverse, new) per query from tables queries × original grades × noisy grades."""
    t = table.astype(np.int64)
    n, by_original, by_noisy = t.sum(axis=(1, 2)), t.sum(axis=2), t.sum(axis=1)
    ordered = (n**2 - (by_noisy**2).sum(axis=1)) // 2
    new = ((by_original**2).sum(axis=1) - (t**2).sum(axis=(1, 2))) // 2
    # documents with a higher grade before and a lower one now: sums over the rows below and the columns to the left
    below = np.zeros_like(t)
    below[:, :-1] = t[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:]
    astray = np.zeros_like(t)
    astray[:, :, 1:] = below.cumsum(axis=2)[:, :, :-1]
    inverse = (t * astray).sum(axis=(1, 2))
    return ordered, inverse, new


def _from_orders(before: NDArray[np.integer], after: NDArray[np.integer]) -> PairCounts:
    order = np.lexsort((after, before))  # documents tied before stand in the noisy order: they invert nothing
    pairs = _pairs_within(np.bincount(before))
    both = _pairs_within(np.unique(before.astype(np.int64) * (int(after.max()) + 1) + after, return_counts=True)[1])
    n = len(before)
    ordered = n * (n - 1) // 2 - _pairs_within(np.bincount(after))
    return PairCounts(ordered, inversions(after[order].astype(np.int64)), pairs - both)


def _pairs_within(sizes: NDArray[np.integer]) -> int:
    s = sizes.astype(np.int64)
    return int((s * (s - 1) // 2).sum())


def inversions(values: Counts) -> int:
    """How many i < j have values[i] > values[j], for whole numbers of at least 0, in O(n log max).

    Bit by bit from the highest: within values that agree so far, a one before a zero is an inversion; then zeros are
    moved before ones, keeping their order.

    >>> inversions(np.array([2, 0, 1, 0]))
    4
    """
    total = 0
    v = values
    n = len(v)
    if n == 0:
        return 0
    start = np.zeros(n, np.int64)  # where the run of values that agree so far begins, per position
    size = np.full(n, n, np.int64)
    position = np.arange(n)
    for bit in range(int(v.max()).bit_length() - 1, -1, -1):
        one = (v >> bit) & 1
        ones = np.concatenate([[0], np.cumsum(one)])
        ones_before = ones[:-1] - ones[start]
        zeros_before = position - start - ones_before
        zeros = size - (ones[start + size] - ones[start])
        total += int(ones_before[one == 0].sum())
        place = start + np.where(one == 1, zeros + ones_before, zeros_before)
        new_start, new_size = np.empty_like(start), np.empty_like(size)
        new_start[place] = np.where(one == 1, start + zeros, start)
        new_size[place] = np.where(one == 1, size - zeros, zeros)
        moved = np.empty_like(v)
        moved[place] = v
        v, start, size = moved, new_start, new_size
    return total
