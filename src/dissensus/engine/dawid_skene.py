"""One round of Dawid and Skene's EM over a range of documents: beliefs from confusions, and their mass counted back.

`code` is judge · K + level of each label, labels sorted by document; `confusion[code, g]` is P(level | true level g).
Products of many small probabilities are kept from vanishing by dividing by the largest every few labels and adding up
the logarithms of what was divided out: as safe as working in logarithms, with one logarithm per document instead of
one exponential per document and grade.

The beliefs of a document are a tuple: numba keeps it in registers, where an array would be written to memory and read
again at every label, because it cannot know that the tables are elsewhere.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.engine.machine_code import jit

Codes = NDArray[np.uint32]  # unsigned: an index that may be below zero costs a comparison each time
STRIDE = 12  # a probability is at least 1e-10 of a label in a judge's million: twelve factors stay above 1e-200


def with_value(values: tuple[float, ...], place: int, value: float) -> tuple[float, ...]:
    """A tuple with one value exchanged."""
    return (*values[:place], value, *values[place + 1 :])


@overload(with_value)
def one_register_written(values, place, value):  # type: ignore[no-untyped-def]
    """What `with_value` is to numba."""
    return lambda values, place, value: tuple_setitem(values, place, value)


@cache
def believe_for(k: int) -> Any:
    """The E step compiled for k grades: loops whose length is known are unrolled, which saves a third of the time."""
    nothing = (0.0,) * k

    @jit(nogil=True)
    def believe(
        first: int,
        last: int,
        bounds: NDArray[np.int64],
        code: Codes,
        confusion: Floats,
        prior: Floats,
        group: NDArray[np.int32],
        posterior: Floats,
        counts: Floats,
        mass: Floats,
    ) -> tuple[float, float]:
        """E step of documents first…last−1, their posteriors added to `counts` by label and to `mass` by group;
        returns (log-likelihood, largest change of a posterior)."""
        likelihood, change = 0.0, 0.0
        for i in range(first, last):
            start, stop = bounds[i], bounds[i + 1]
            if start == stop:
                continue
            belief = nothing
            for g in range(k):
                belief = with_value(belief, g, prior[group[i], g])
            factors = 0
            for row in range(start, stop):
                c = code[row]
                for g in range(k):
                    belief = with_value(belief, g, belief[g] * confusion[c, g])
                factors += 1
                if factors == STRIDE:
                    factors = 0
                    top = belief[0]
                    for g in range(1, k):
                        top = max(top, belief[g])
                    for g in range(k):
                        belief = with_value(belief, g, belief[g] / top)
                    likelihood += np.log(top)
            total = 0.0
            for g in range(k):
                total += belief[g]
            likelihood += np.log(total)
            for g in range(k):
                p = belief[g] / total
                change = max(change, abs(p - posterior[i, g]))
                posterior[i, g] = p
                belief = with_value(belief, g, p)
                mass[group[i], g] += p
            for row in range(start, stop):
                c = code[row]
                for g in range(k):
                    counts[c, g] += belief[g]
        return likelihood, change

    return believe


@jit(nogil=True)
def count(
    first: int,
    last: int,
    bounds: NDArray[np.int64],
    code: Codes,
    group: NDArray[np.int32],
    posterior: Floats,
    counts: Floats,
    mass: Floats,
) -> None:
    """Add the posteriors of documents first…last−1 to the counts of the labels they got and of their groups."""
    for i in range(first, last):
        for g in range(posterior.shape[1]):
            mass[group[i], g] += posterior[i, g]
        for row in range(bounds[i], bounds[i + 1]):
            c = code[row]
            for g in range(posterior.shape[1]):
                counts[c, g] += posterior[i, g]


@jit(nogil=True)
def confuse(first: int, last: int, tables: Floats, smoothing: float, floor: float, confusion: Floats) -> None:
    """M step of judges first…last−1: shares of the levels each gives to each true level, from the counts of all parts.

    Every cell gets `smoothing`; without any, cells of levels the judge uses are held at `floor`, so that true levels
    the judge has hardly met teach nothing instead of something sharp.
    """
    parts, _, k = tables.shape
    for base in range(first * k, last * k, k):
        for h in range(base, base + k):
            used = 0.0
            for g in range(k):
                cell = smoothing
                for part in range(parts):
                    cell += tables[part, h, g]
                confusion[h, g] = cell
                used += cell
            if used > 0.0:
                for g in range(k):
                    confusion[h, g] = max(confusion[h, g], floor)
        for g in range(k):
            total = 0.0
            for h in range(base, base + k):
                total += confusion[h, g]
            if total > 0.0:
                for h in range(base, base + k):
                    confusion[h, g] /= total
