"""Kernels over hits as numpy sees them, for studies so small that loading numba would take longer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def walked(
    lo: int, hi: int, first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(ranking, hit) of every step of a kernel that walks rankings lo … hi − 1 from `first` to `last`.

    >>> walked(0, 2, np.array([0, 3]), np.array([2, 4]))
    (array([0, 0, 1]), array([0, 1, 3]))
    """
    count = last[lo:hi] - first[lo:hi]
    segment = np.repeat(np.arange(lo, hi), count)
    within = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
    return segment, first[segment] + within


def add_up(
    segment: NDArray[np.int64], steps: Callable[[NDArray[np.int64] | slice], NDArray[np.float64]], out: Floats
) -> None:
    """out[s, a] += step i of assessor a, for the steps of ranking s, from the first to the last; `segment` ascends.

    `steps` gives some rows of the table step × assessor: made when they are needed, so that the table is never whole.
    """
    if not len(segment):
        return
    start = np.flatnonzero(np.r_[True, np.diff(segment) != 0])
    count = np.diff(np.r_[start, len(segment)])
    longest = int(count.max())
    if longest > out.shape[1]:
        table = steps(slice(None))
        for a in range(out.shape[1]):
            out[:, a] += np.bincount(segment, table[:, a], len(out))
        return
    order = np.argsort(-count, kind="stable")  # those with a further step are the first ones
    start, count = start[order], count[order]
    total = steps(start)
    for step in range(1, longest):  # many assessors, short rankings: one step of all rankings at a time
        further = int(np.searchsorted(-count, -step))
        total[:further] += steps(start[:further] + step)
    out[segment[start]] += total
