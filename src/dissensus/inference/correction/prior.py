"""What a bronze label is worth before anyone has audited it, as four labels' worth of belief.

    p_J = 0.1 + 0.8·(value of J on the range of values),   0.5 without a bronze label.

Means and squared errors of few audited documents are shrunk towards p_J and p_J(1 − p_J): three audited documents on
which the judge was right do not make a judge that never errs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.inference.correction.weights import Floats, Ints

LABELS = 4.0  # pseudo-labels that the belief is worth


@dataclass(frozen=True, eq=False)
class Prior:
    """Expected value of every bronze label, and the expected square of its error, both in units of the measure."""

    mean: Floats
    square: Floats

    @classmethod
    def of(cls, bronze: Floats, gold: Floats) -> Prior:
        """From the values of bronze labels (the last one being "no label") and of gold grades.

        A judge whose labels are all worth the same to a measure (a binary judge, a threshold of 2) still orders
        documents: its labels are then taken as steps from the bottom to the top.

        >>> Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0])).mean.tolist()
        [0.1, 0.9, 0.5]
        >>> Prior.of(np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])).mean.round(3).tolist()
        [0.2, 1.8, 1.0]
        """
        low, wide = float(gold.min()), float(np.ptp(gold))
        own = bronze[:-1]
        if np.ptp(own) > 0:
            place = (own - own.min()) / np.ptp(own)
        else:
            place = np.linspace(0.0, 1.0, len(own)) if len(own) > 1 else np.full(len(own), 0.5)
        p = np.append(0.1 + 0.8 * place, 0.5)
        return cls(low + wide * p, wide**2 * p * (1 - p))

    def means(self, total: Floats, count: Floats, labels: Ints | Floats) -> Floats:
        """Weighted means total/count of `labels` audited documents per bronze label (last axis), shrunk."""
        mean = np.divide(total, count, out=np.broadcast_to(self.mean, total.shape).copy(), where=count > 0)
        return np.asarray((LABELS * self.mean + labels * mean) / (LABELS + labels), np.float64)

    def squares(self, total: Floats, count: Floats, labels: Ints) -> Floats:
        """The same for mean squared errors."""
        mean = np.divide(total, count, out=self.square.copy(), where=count > 0)
        return np.asarray((LABELS * self.square + labels * mean) / (LABELS + labels), np.float64)
