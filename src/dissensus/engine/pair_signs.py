"""τ and τ_ap of many rankings against many references at once.

A pair of systems is looked at once per ranking, and all references take note of it in one stride.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.machine_code import jit


@jit(nogil=True)
def signs_of(scores: NDArray[np.float64], signs: NDArray[np.float32]) -> None:
    """The sign of score i − score j for each pair i < j and reference, pairs × references."""
    references, n = scores.shape
    p = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(references):
                d = scores[k, i] - scores[k, j]
                signs[p, k] = 1.0 if d > 0.0 else (-1.0 if d < 0.0 else 0.0)
            p += 1


@jit(nogil=True)
def surpluses(
    scores: NDArray[np.float64],
    harmonic: NDArray[np.float64],
    signs: NDArray[np.float32],
    plain: NDArray[np.float64],
    weighted: NDArray[np.float64],
) -> None:
    """For each ranking and reference: concordant minus discordant pairs, plain and times the lower item's weight.

    The weight of an item is the mean of 1/(rank − 1) over the ranks of its tie group; `harmonic` holds H_0, H_1, ….
    Pairs tied on either side average out over tie breaks and count nothing.
    """
    rows, n = scores.shape
    references = signs.shape[1]
    weight = np.empty(n, np.float32)
    some = np.empty(references, np.float32)  # short sums in single precision, long ones in double
    heavy = np.empty(references, np.float32)
    for r in range(rows):
        for i in range(n):
            above = 0
            group = 0
            for j in range(n):
                above += scores[r, j] > scores[r, i]
                group += scores[r, j] == scores[r, i]
            weight[i] = (harmonic[above + group - 1] - harmonic[above - 1]) / group if above > 0 else 0.0
        for k in range(references):
            plain[r, k] = 0.0
            weighted[r, k] = 0.0
        p = 0
        for i in range(n):
            some[:] = 0.0
            heavy[:] = 0.0
            for j in range(i + 1, n):
                d = scores[r, i] - scores[r, j]
                if d != 0.0:
                    sign = np.float32(1.0) if d > 0.0 else np.float32(-1.0)
                    w = sign * (weight[j] if d > 0.0 else weight[i])
                    for k in range(references):
                        some[k] += sign * signs[p, k]
                        heavy[k] += w * signs[p, k]
                p += 1
            for k in range(references):
                plain[r, k] += some[k]
                weighted[r, k] += heavy[k]
