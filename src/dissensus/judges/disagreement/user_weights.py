"""P(at least M of N users say top), given what one of them said: binomial, and without replacement."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text


def check_users(at_least: int, of: int) -> None:
    """Refuse M/N that are no whole numbers with 0 ≤ M ≤ N, 1 ≤ N."""
    whole = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in (at_least, of))
    if not whole or of < 1 or not 0 <= at_least <= of:
        raise InputError(
            Text(
                Option("at_least", at_least),
                " ",
                Option("of", of),
                ": at least M of N users, whole numbers with 0 ≤ M ≤ N and N ≥ 1.",
            )
        )


def weight_of(p: float, at_least: int, of: int, *, is_top: bool) -> float:
    """P(at least M of N users say top | one of them said top, or did not): equations 4 and 5.

    >>> [round(weight_of(0.3, m, n, is_top=False), 3) for m, n in ((1, 3), (2, 3), (2, 4), (2, 5))]
    [0.51, 0.09, 0.216, 0.348]
    """
    first = max(at_least - 1, 0) if is_top else at_least
    if first <= 0:
        return 1.0  # whatever p is, even unknown
    return (
        math.fsum(math.comb(of - 1, m) * p**m * (1 - p) ** (of - 1 - m) for m in range(first, of))
        if of > first
        else 0.0
    )


def drawn_at_least(need: int, draws: int, tops: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(at least `need` top labels among `draws` of `others` labels, `tops` of them top), hypergeometric."""
    if not len(tops):
        return np.empty(0)
    pairs, place = np.unique(np.column_stack((tops, others)), axis=0, return_inverse=True)
    chance = [
        sum(math.comb(t, m) * math.comb(o - t, draws - m) for m in range(need, draws + 1)) / math.comb(o, draws)
        for t, o in pairs.tolist()
    ]
    return np.array(chance)[place.ravel()]
