"""Samples of a fixed size with unequal probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def fixed_size(pi: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Documents drawn together, as many as Σπ, each with its π: systematic sampling in a random order (Madow 1949).

    The probabilities lie one after the other on a line, in random order; a comb with teeth at distance 1 is laid over
    it at a random place, and each document with a tooth is drawn.

    >>> pi = np.array([0.5, 0.25, 1.0, 0.25, 0.7, 0.3])
    >>> [len(fixed_size(pi, np.random.default_rng(seed))) for seed in range(5)]
    [3, 3, 3, 3, 3]
    """
    order = rng.permutation(len(pi))
    edges = np.r_[0.0, np.cumsum(pi[order])]
    total = max(round(float(edges[-1])), 0)
    if total == 0:
        return np.zeros(0, np.int64)
    edges *= total / edges[-1]
    teeth = np.floor(edges - rng.random())
    teeth[-1] = teeth[0] + total
    return np.sort(order[np.diff(teeth) > 0])
