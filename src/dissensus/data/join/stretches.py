"""Copy stretches of a column to other places: what putting rankings into another order comes down to."""

from __future__ import annotations

import numpy as np

from dissensus.work.compiled import compiled


@compiled
def copy_stretches(column, first, target, count, out):  # type: ignore[no-untyped-def]
    """Stretch k, `count[k]` rows of `column` from `first[k]` on, goes to `out[target[k]:]`."""
    for k in range(len(first)):
        a, b = first[k], target[k]
        for i in range(count[k]):
            out[b + i] = column[a + i]


@copy_stretches.in_numpy
def copy_stretches_in_numpy(column, first, target, count, out):  # type: ignore[no-untyped-def]
    """The same, all rows at once."""
    inside = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    out[np.repeat(target, count) + inside] = column[np.repeat(first, count) + inside]
