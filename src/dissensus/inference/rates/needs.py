"""What it takes to know a corrected rate better, from counts alone: more queries, or more gold labels."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Needs:
    """What a corrected rate needs: queries, or gold labels, in all; NaN where no number of them is enough by itself."""

    queries: float
    labels: float

    def __str__(self) -> str:
        def count(number: float, what: str) -> str:
            return f"no number of {what}" if math.isnan(number) else f"about {number:,.0f} {what}"

        queries, labels = count(self.queries, "queries"), count(self.labels, "gold labels")
        return f"{queries} with these gold labels, or {labels} with these queries"


def needs(observed: float, calibration: float, discrimination: float, se: float, *, queries: int, labels: int) -> Needs:
    """What brings the standard error of a corrected rate to `se`, from counts alone.

    Its variance is [V(j̄) + V_calibration]/D², today `observed` and `calibration` over D². The first part shrinks with
    queries, the second with gold labels; each is asked what it would take if the other stays as it is.

    >>> needs(0.0001, 0.0003, 0.5, 0.05, queries=1000, labels=200)
    Needs(queries=308.0, labels=115.0)
    """
    allowed = (se * discrimination) ** 2

    def enough(today: float, other: float, number: int) -> float:
        left = allowed - other
        return math.nan if left <= 0 else float(math.ceil(number * today / left))

    return Needs(enough(observed, calibration, queries), enough(calibration, observed, labels))
