"""Kernels over hits as numpy sees them, for studies so small that loading numba would take longer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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


def add_up(segment: NDArray[np.int64], steps: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """out[s, a] += steps[i, a] for the steps of ranking s, from the first to the last; `segment` ascends."""
    if not len(segment):
        return
    start = np.flatnonzero(np.r_[True, np.diff(segment) != 0])
    count = np.diff(np.r_[start, len(segment)])
    longest = int(count.max())
    if longest > out.shape[1]:
        for a in range(out.shape[1]):
            out[:, a] += np.bincount(segment, steps[:, a], len(out))
        return
    ranking = segment[start]
    total = steps[start]
    for step in range(1, longest):  # many assessors, short rankings: one step of all rankings at a time
        further = np.flatnonzero(count > step)
        total[further] += steps[start[further] + step]
    out[ranking] += total
