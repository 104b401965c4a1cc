"""The one look at closing: an ordinary estimate from the labels of a committed order.

Stopped after n labels, each document had the probability π_d = 1 − exp(−r_d·τ), τ the key of the next document. Given
the others' keys, Horvitz–Thompson terms are unbiased, uncorrelated, and Σx²(1 − π)/π² is unbiased for their variance:

    Δ̂ = Σ c·f + Σ_audited c(v − f)/π,   se² = Σ_audited c²(v − f)²(1 − π)/π².

A judge that is nearly always right shows few residuals or none, and then that se is far too small; the closing look
takes the larger of it and the model's, Σ_all c²·s²_J(1 − π)/π, s²_J the mean squared residual of bronze label J,
weighted by 1/π, with 4 pseudo-labels at p_J(1 − p_J).

With n fixed before the first label, Δ̂ ± 1.96·se. Where the labels themselves said when to stop, 1.96 misses in 3–14 %:
m_t of the look at which it stopped takes its place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dissensus.inference.sequential.wealth import PSEUDO, Floats, Walk, predictions


@dataclass(frozen=True)
class Closing:
    """Δ̂ with its standard error; `multiplier` is 1.96 (at 95 %) for a number of labels fixed in advance, else m_t.

    `level` is the level at which an ordinary interval is as wide: `ds.correct(…, level=closing.level)` gives other
    measures the width that stopping by the labels asks for.
    """

    labels: int
    estimate: float
    se: float
    multiplier: float
    low: float
    high: float
    level: float

    def __str__(self) -> str:
        return (
            f"{self.estimate:.4f} [{self.low:.4f}, {self.high:.4f}] at closing, after {self.labels:,} labels "
            f"(se {self.se:.4f} × {self.multiplier:.2f})"
        )


def fixed_look(walk: Walk, value: Floats, inclusion: Floats) -> tuple[float, float]:
    """(Δ̂, se) from a prefix; `inclusion` is π by draw."""
    t = len(value)
    f = predictions(value, walk.label[:t], walk.prior)[-1][walk.label]
    x = np.zeros(len(walk.c))
    x[:t] = walk.c[:t] * (value - f[:t]) / inclusion[:t]
    return float((walk.c * f).sum() + x.sum()), math.sqrt(float((x**2 * (1 - inclusion)).sum()))


def model_se(walk: Walk, value: Floats, inclusion: Floats) -> float:
    """√Σ_all c²·s²_J(1 − π)/π: what residuals of the same bronze label let expect, seen or not."""
    t, n = len(value), len(walk.prior)
    label = walk.label[:t]
    f = predictions(value, label, walk.prior)[-1]
    weight = 1 / inclusion[:t]
    total = np.bincount(label, weight, n)
    square = np.bincount(label, weight * (value - f[label]) ** 2, n)
    mean = np.divide(square, total, out=np.zeros(n), where=total > 0)
    count = np.bincount(label, minlength=n)
    spread = (count * mean + PSEUDO * walk.prior * (1 - walk.prior)) / (count + PSEUDO)
    return math.sqrt(float((walk.c**2 * spread[walk.label] * (1 - inclusion) / inclusion).sum()))


def closing(low: tuple[float, float], high: tuple[float, float], labels: int, multiplier: float) -> Closing:
    """The closing look with its interval, from (Δ̂, se) at the lower and at the upper end of what is not known.

    The two are equal unless there are documents that no assessor could judge.
    """
    level = math.erf(multiplier / math.sqrt(2))
    middle, se = (low[0] + high[0]) / 2, max(low[1], high[1])
    return Closing(labels, middle, se, multiplier, low[0] - multiplier * low[1], high[0] + multiplier * high[1], level)
