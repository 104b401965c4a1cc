"""The example of METHODS §12: 240 documents, two kinds of judges' labels, a fixed order."""

from __future__ import annotations

import numpy as np

from dissensus.inference.sequential.order import Order, doubt, ordered
from dissensus.inference.sequential.wealth import LabelSequence

I = np.arange(240)
C = (-1.0) ** I / (100 * (1 + I % 5))
LABEL = 7 * I % 4
PRIOR = 0.1 + 0.8 * np.array([0.0, 0.0, 1.0, 1.0])
GOLD = (np.array([0.1, 0.3, 0.6, 0.9])[LABEL] + 0.1 * (-1.0) ** I > (37 * I % 101) / 101).astype(np.float64)
CLOCK = -np.log(1 - ((61 * I % 241) + 0.5) / 241)


def example_order() -> Order:
    return ordered(np.abs(C) * doubt(PRIOR)[LABEL], CLOCK)


def example_walk() -> tuple[LabelSequence, np.ndarray]:
    """(the walk, gold values in order)."""
    order = example_order()
    return LabelSequence(C[order.item], order.rate, LABEL[order.item], PRIOR), GOLD[order.item]
