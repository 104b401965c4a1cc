"""Confidence sets for a ratio, after Fieller (1954).

A corrected score is a ratio: something observed over the judge's discrimination D = Se + Sp − 1. When D is not well
separated from zero the usual estimate ± z·se is wrong in both directions. Fieller's set asks instead which values x are
compatible with the data: all x whose residual N − x·D is within z of its own standard error. That set is an interval
when D is clearly not zero, and two rays or the whole line when it is not: then the data really do not bound the answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dissensus.stats.intervals import fieller as region

INF = math.inf
WEAK = 5.0  # below this D/se(D), normal intervals around a ratio are replaced by Fieller's


@dataclass(frozen=True)
class ConfidenceSet:
    """A set of numbers as disjoint closed pieces in order: one interval, two rays, or the whole line.

    >>> print(ConfidenceSet(((-INF, -1.0), (2.0, INF))))
    (−∞, -1.0000] ∪ [2.0000, ∞)
    """

    pieces: tuple[tuple[float, float], ...]

    @property
    def kind(self) -> str:
        """One of "interval", "two rays", "line"."""
        if len(self.pieces) == 2:
            return "two rays"
        return "line" if self.pieces[0] == (-INF, INF) else "interval"

    @property
    def hull(self) -> tuple[float, float]:
        """The smallest interval around the set; (−∞, ∞) for rays and the line."""
        return (self.pieces[0][0], self.pieces[-1][1])

    def __contains__(self, x: float) -> bool:
        return any(low <= x <= high for low, high in self.pieces)

    def __str__(self) -> str:
        return " ∪ ".join(_piece(low, high) for low, high in self.pieces)


def _piece(low: float, high: float) -> str:
    left = "(−∞" if low == -INF else f"[{low:.4f}"
    right = "∞)" if high == INF else f"{high:.4f}]"
    return f"{left}, {right}"


def fieller(
    numerator: float,
    denominator: float,
    level: float,
    *,
    var_numerator: float,
    var_denominator: float,
    cov: float = 0.0,
    df: float | None = None,
) -> ConfidenceSet:
    """All x with (N − x·D)² ≤ t²·[V(N) − 2x·Cov(N, D) + x²·V(D)], t the two-sided quantile of `level`.

    >>> fieller(1.0, 0.5, 0.95, var_numerator=0.01, var_denominator=0.0001).kind
    'interval'
    >>> fieller(0.1, 0.02, 0.95, var_numerator=0.01, var_denominator=0.01).kind
    'line'
    """
    found = region(numerator, denominator, var_numerator, var_denominator, covariance=cov, level=level, df=df)
    return ConfidenceSet(tuple(sorted(found.pieces)))
