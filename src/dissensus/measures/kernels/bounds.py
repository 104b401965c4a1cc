"""How far AP can move with the labels of the unjudged documents of a ranking."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def ap_bounds(grades, relevant_in_pool, rel, cutoff):  # type: ignore[no-untyped-def]
    """(low, high) of AP over all labels of unjudged documents; grades by rank, negative = unjudged.

    High: the m highest-ranked unjudged documents are relevant, for the best m. Low: the m lowest-ranked ones, for the
    worst m. Making the document at rank r relevant adds P@r and 1/rank for every relevant document below it, so all m
    are tried in one pass each.
    """
    n = len(grades)
    base = 0.0
    count = 0
    for i in range(min(n, cutoff)):
        if grades[i] >= rel:
            count += 1
            base += count / (i + 1.0)
    high = base / relevant_in_pool if relevant_in_pool > 0 else np.nan
    low = high

    # from the top: every document above r that could be relevant already is
    below = 0.0  # Σ 1/rank over judged relevant documents below r
    for i in range(min(n, cutoff)):
        if grades[i] >= rel:
            below += 1.0 / (i + 1.0)
    total, above, flipped = base, 0, 0
    for i in range(n):
        inside = i < cutoff
        if grades[i] >= rel:
            above += 1
            if inside:
                below -= 1.0 / (i + 1.0)
        elif grades[i] < 0:
            flipped += 1
            if inside:
                total += (above + 1.0) / (i + 1.0) + below
            above += 1
            value = total / (relevant_in_pool + flipped)
            if np.isnan(high) or value > high:
                high = value

    # from the bottom: documents below r that could be relevant are
    total, below, flipped = base, 0.0, 0
    for i in range(n - 1, -1, -1):
        inside = i < cutoff
        if grades[i] >= rel:
            count -= 1 if inside else 0
            below += 1.0 / (i + 1.0) if inside else 0.0
        elif grades[i] < 0:
            flipped += 1
            if inside:
                total += (count + 1.0) / (i + 1.0) + below
                below += 1.0 / (i + 1.0)
            value = total / (relevant_in_pool + flipped)
            if np.isnan(low) or value < low:
                low = value
    return low, high
