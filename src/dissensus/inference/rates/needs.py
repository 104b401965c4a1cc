"""Queries or gold labels needed, from counts alone: which part of the variance is too large, and what shrinks it.

The variance of a corrected rate is [V(j̄) + V_calibration]/D². The first part shrinks with queries, the second with gold
labels; each is asked what it would take if the other stays as it is.

    >>> needs(0.0001, 0.0003, 0.5, 0.05, queries=1000, labels=200)
    Needs(queries=308.0, labels=115.0)
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Needs:
    """Queries, or gold labels, in all; NaN where no number of them is enough, the other part staying as it is."""

    queries: float
    labels: float

    def __str__(self) -> str:
        def count(number: float, what: str) -> str:
            return f"no number of {what}" if math.isnan(number) else f"about {number:,.0f} {what}"

        queries, labels = count(self.queries, "queries"), count(self.labels, "gold labels")
        return f"{queries} with these gold labels, or {labels} with these queries"


def needs(observed: float, calibration: float, discrimination: float, se: float, *, queries: int, labels: int) -> Needs:
    """What brings the standard error to `se`; `observed` and `calibration` are V(j̄) and V_calibration today."""
    allowed = (se * discrimination) ** 2

    def enough(today: float, other: float, number: int) -> float:
        left = allowed - other
        return math.nan if left <= 0 else float(math.ceil(number * today / left))

    return Needs(enough(observed, calibration, queries), enough(calibration, observed, labels))
