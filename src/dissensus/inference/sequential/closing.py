"""The one look at closing: an ordinary estimate from the labels of a committed order.

Stopped after n labels, each document had the probability π_d = 1 − exp(−r_d·τ), τ the key of the next document. Given
the others' keys, Horvitz–Thompson terms are unbiased, uncorrelated, and Σx²(1 − π)/π² is unbiased for their variance:

    Δ̂ = Σ c·f + Σ_audited c(v − f)/π,   se² = Σ_audited c²(v − f)²(1 − π)/π².

A judge that is nearly always right shows few residuals or none, and then that se is far too small; the closing look
takes the larger of it and the model's, Σ_all c²·s²_J(1 − π)/π, s²_J the mean squared residual of bronze label J,
weighted by 1/π, with 4 pseudo-labels at p_J(1 − p_J).

With n fixed before the first label, Δ̂ ± 1.96·se. Where the labels themselves said when to stop, 1.96 misses in 3–14 %:
m_t of the look at which it stopped takes its place.

Where more is asked for than these topics and these assessors, parts are added to either side of the audit's set. New
topics: t_{n−1}·s/√n, s² the larger of var_q(X_q) − n·(audit variance of the mean), X rectified per topic, and the
variance of bronze per-topic differences (calibrated scores f would show 2–50 % of it). The mean assessor, where one of
several was drawn for each document: z·√(Σ c² s_a²), s_a² the variance between assessors on one document. Each part has
a share of the error for itself, and the ends are added.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.sequential.wealth import PSEUDO, LabelSequence, predictions
from dissensus.stats.intervals import quantile

LARGEST_VARIANCE = 0.25  # of a value in [0, 1]


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


def fixed_look(walk: LabelSequence, value: Floats, inclusion: Floats) -> tuple[float, float]:
    """(Δ̂, se) from a prefix; `inclusion` is π by draw."""
    f, x = _terms(walk, value, inclusion)
    return float((walk.c * f).sum() + x.sum()), math.sqrt(float((x**2 * (1 - inclusion)).sum()))


def _terms(walk: LabelSequence, value: Floats, inclusion: Floats) -> tuple[Floats, Floats]:
    """(f, c(v − f)/π) by draw; the second is 0 beyond the prefix, and where no assessor could judge (NaN)."""
    f = predictions(value, walk.label[: len(value)], walk.prior)[-1][walk.label]
    seen = np.flatnonzero(~np.isnan(value))
    x = np.zeros(len(walk.c))
    x[seen] = walk.c[seen] * (value[seen] - f[seen]) / inclusion[seen]
    return f, x


def model_se(walk: LabelSequence, value: Floats, inclusion: Floats) -> float:
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


# ── new topics, other assessors ──────────────────────────────────────────────────────────────────────────────────────
def topic_variance(
    walk: LabelSequence, topic: Ints, n_topics: int, value: Floats, inclusion: Floats, bronze: Floats
) -> float:
    """s²: how per-topic differences vary; `topic` by draw, `bronze` the value of every bronze label."""
    f, x = _terms(walk, value, inclusion)
    audit = float((x**2 * (1 - inclusion)).sum())
    rectified = n_topics * np.bincount(topic, walk.c * f + x, n_topics)
    plain = n_topics * np.bincount(topic, walk.c * bronze[walk.label], n_topics)
    return max(float(rectified.var(ddof=1)) - n_topics * audit, float(plain.var(ddof=1)))


def topics_part(variance: float, n_topics: int, alpha: float) -> float:
    """t_{n−1, 1−α/2}·s/√n."""
    return quantile(1 - alpha, n_topics - 1) * math.sqrt(variance / n_topics)


def between_assessors(doubles: Iterable[tuple[float, float]]) -> float:
    """s_a² from pairs of values that two assessors gave one document: half the mean square of their difference.

    >>> between_assessors([(1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 1.0)])
    0.125
    """
    pairs = np.array(list(doubles), np.float64)
    if not len(pairs):
        return LARGEST_VARIANCE
    return min(float(((pairs[:, 0] - pairs[:, 1]) ** 2).mean()) / 2, LARGEST_VARIANCE)


def assessors_part(c: Floats, variance: float, alpha: float) -> float:
    """z_{1−α/2}·√(Σ c² s_a²)."""
    return quantile(1 - alpha) * math.sqrt(float((c**2).sum()) * variance)
