"""The audit's part in the error of rectified scores, and how many equally telling labels are behind it.

Each audited document adds a_s = w_s(v − f)/π to a score's sum over topics, with variance a_s²(1 − π). Where a few of
them bring most of it, the sum knows its own variance as badly as so few numbers do: Student's t has

    n_eff = (Σ b²)²/Σ b⁴,   b² = a²(1 − π),

degrees of freedom (at least 1) where the variance is taken from them, and below 3 no interval is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dissensus.inference.correction.weights import Floats, Ints

FEWEST = 3.0  # equally telling labels; fewer bear no interval


@dataclass(frozen=True, eq=False)
class AuditPart:
    """`root`: b of every system (rows) and audited document, for means over `n_topics` topics."""

    root: Floats
    n_topics: int

    @cached_property
    def covariance(self) -> Floats:
        """n⁻² Σ_audited w_s w_t (v − f)²(1 − π)/π²."""
        return np.asarray(self.root @ self.root.T / self.n_topics**2, np.float64)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Σ b_s³b_t and Σ b_s²b_t² of every two systems."""
        square = self.root**2
        return (square * self.root) @ self.root.T, square @ square.T

    def telling(self) -> Floats:
        """n_eff of every system's score; infinite where the audit leaves nothing to chance."""
        second, fourth = (self.root**2).sum(axis=1), (self.root**4).sum(axis=1)
        return _ratio(second, fourth)

    def telling_between(self, a: Ints, b: Ints) -> Floats:
        """n_eff of θ_a − θ_b, element by element; infinite where the audited documents count equally for both."""
        cubic, even = self._moments
        own = np.diag(even)
        second = (self.covariance[a, a] + self.covariance[b, b] - 2 * self.covariance[a, b]) * self.n_topics**2
        fourth = own[a] + own[b] - 4 * (cubic[a, b] + cubic[b, a]) + 6 * even[a, b]
        least = 1e-12 * (own[a] + own[b])  # rounding
        return _ratio(np.where(fourth > least, second, 0.0), np.where(fourth > least, fourth, 0.0))


def few_labels(behind: float) -> str:
    """Why there is no interval, with what to do instead.

    >>> few_labels(0.0)
    'no audited document tells anything about it; audit more documents'
    """
    if behind <= 0:
        return "no audited document tells anything about it; audit more documents"
    return (
        f"the audited documents amount to {behind:.1f} equally telling ones, and an interval needs {FEWEST:g}; audit "
        "more documents"
    )


def _ratio(second: Floats, fourth: Floats) -> Floats:
    out: Floats = np.full(second.shape, np.inf)
    np.divide(second**2, fourth, out=out, where=fourth > 0)
    return out
