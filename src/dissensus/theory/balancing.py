"""The balancing index: how top-heavy a measure is, as one number.

    B(N) = max { b : M(high, 0, …, 0) ≤ M(0, …, 0, low, …, low) },   the second with `low` on ranks b…N

The largest b such that one top-grade document at rank 1 is matched by minimum-grade documents on ranks b…N. Close to
N: a single low-ranked document makes up for the top one, as in sets. Close to 1: nothing below makes up for it.
Undefined if not even a full page does (Ferrante, Ferro & Maistro, ICTIR 2015).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.aliases import described
from dissensus.errors import InputError, MeasureError, Option, Text
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Grades, Measure, count_grades
from dissensus.results import Result, Table, Tables
from dissensus.tables.scale import Scale

ROUNDING = 1e-14  # relative: equal but for arithmetic counts as matched


@described
def balancing_index(
    measure: str | Measure, length: int, low: int = 1, high: int = 1, *, relevant: int | None = None
) -> int | None:
    """The balancing index of a measure for rankings of some length.

    The largest rank b such that documents of the lowest grade on ranks b…N make up for one top document at rank 1.

    Parameters
    ----------
    measure
        The measure, by name.
    length
        Length of the rankings, N.
    low
        The lowest grade above 0.
    high
        The top grade.
    relevant
        Documents of the top grade in the pool, R. N without it.

    Returns
    -------
    int or None
        None where it is undefined.

    Examples
    --------
    >>> balancing_index("RBP(p=0.8)", 1000), balancing_index("RBP(p=0.95)", 1000)
    (8, 59)
    >>> balancing_index("DCG(dcg='jk')", 5, low=1, high=3), balancing_index("ERR", 5, low=1, high=3)
    (1, None)
    """
    m = named(measure)
    for name, value in (("length", length), ("low", low), ("high", high)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise InputError(f"{name}={value!r}: must be a whole number of at least 1.")
    if low > high:
        raise InputError(
            Text(
                Option("low", low),
                " is above ",
                Option("high", high),
                ": low is the lowest grade above zero, high the top grade.",
            )
        )
    if not m.higher_is_better:
        raise MeasureError(f"{m} falls as rankings get better; the balancing index is for measures of utility.")
    scale = Scale.range(0, int(high))
    total = int(length if relevant is None else relevant)
    pool = np.array([high] * total + [0] * int(length), np.int8)
    form = m.linear_form(count_grades(pool, scale), int(length), scale)
    if form is None:
        return _scanned_index(m, int(length), int(low), int(high), scale, pool)
    weights, values = form
    _defined(float(weights.sum()), m)
    top = weights[0] * values[high]
    tail = np.cumsum(weights[::-1])[::-1] * values[low]  # tail[b − 1]: `low` on ranks b…N
    matched = np.flatnonzero(tail >= top - ROUNDING * abs(top))
    return int(matched[-1]) + 1 if len(matched) else None


def _scanned_index(m: Measure, n: int, low: int, high: int, scale: Scale, pool: Grades) -> int | None:
    """By definition, from b = N up to b = 1."""
    run = np.zeros(n, np.int8)
    run[0] = high
    top = _defined(m.compute(run, pool, scale), m)
    run[0] = 0
    for b in range(n, 0, -1):
        run[b - 1] = low
        if _defined(m.compute(run, pool, scale), m) >= top - ROUNDING * abs(top):
            return b
    return None


def _defined(value: float, m: Measure) -> float:
    if np.isnan(value):
        raise MeasureError(f"{m} is undefined here, and so is its balancing index.", "Give more relevant documents.")
    return value


# ── curves ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class BalancingCurve(Result):
    """B(N) of several measures over several lengths, None where undefined."""

    lengths: tuple[int, ...]
    indices: dict[str, tuple[int | None, ...]]
    low: int
    high: int

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"indices": Table.of(self._rows())}

    @property
    def title(self) -> str:
        """What stands above the table."""
        return "Balancing index"

    @property
    def notes(self) -> tuple[str, ...]:
        """The index of each measure at the greatest length, and what it weighs."""
        what = f"one document of grade {self.high} at rank 1 against grade {self.low} on ranks b…N; R = N"
        last = {name: values[-1] for name, values in self.indices.items()}
        ends = {name: "is undefined: no ranking matches" if b is None else f"= {b:,}" for name, b in last.items()}
        said = [f"{name}: B({self.lengths[-1]:,}) {end}" for name, end in ends.items()]
        return (*said, f"{what}; empty where undefined")

    def across(self) -> Tables:
        """The same with a column for each measure, for people."""
        rows = self._rows().pivot("measure", index="length", values="index", aggregate_function="first")
        return Tables({"indices": Table.of(rows, rest="balancing index of {name}")}, self.title, self.notes)

    def _rows(self) -> pl.DataFrame:
        """One row per measure and length: measure, length, index (null where undefined)."""
        return pl.DataFrame(
            [
                {"measure": name, "length": n, "index": b}
                for name, values in self.indices.items()
                for n, b in zip(self.lengths, values, strict=True)
            ],
            schema={"measure": pl.String, "length": pl.Int64, "index": pl.Int64},
        )


def balancing_curve(
    measures: Sequence[str | Measure], lengths: Sequence[int], low: int = 1, high: int = 1
) -> BalancingCurve:
    """B(N) of each measure at each length."""
    ordered = tuple(sorted({int(n) for n in lengths}))
    if not ordered or not measures:
        raise InputError("a balancing curve needs at least one measure and one length.")
    return BalancingCurve(
        lengths=ordered,
        indices={
            str(m): tuple(balancing_index(m, n, low, high) for n in ordered)
            for m in dict.fromkeys(map(named, measures))
        },
        low=low,
        high=high,
    )
