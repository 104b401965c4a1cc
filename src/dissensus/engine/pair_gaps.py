"""The largest standardised difference of all pairs of systems, in each of many draws.

Half a million pairs of a thousand systems times five thousand draws are never held: a block of draws stays in the
cache while all pairs pass over it.
"""

from __future__ import annotations

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.engine.machine_code import jit

BLOCK = 64  # draws


@jit(nogil=True)
def largest_gaps(z: Floats, a: Ints, b: Ints, scale: Floats) -> Floats:
    """max over pairs k of |z[a_k] − z[b_k]|·scale_k, for each draw (a column of z)."""
    draws = z.shape[1]
    largest = np.zeros(draws)
    for first in range(0, draws, BLOCK):
        last = min(first + BLOCK, draws)
        for k in range(a.size):
            one, other, times = a[k], b[k], scale[k]
            for i in range(first, last):
                gap = abs(z[one, i] - z[other, i]) * times
                largest[i] = gap if gap > largest[i] else largest[i]
    return largest
