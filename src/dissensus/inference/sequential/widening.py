"""What is added to either side of the audit's set where more is asked for than these topics and these assessors.

New topics: t_{n−1}·s/√n, s² the larger of var_q(X_q) − n·(audit variance of the mean), X rectified per topic, and the
variance of bronze per-topic differences (calibrated scores f would show 2–50 % of it). The mean assessor, where one of
several was drawn for each document: z·√(Σ c² s_a²), s_a² the variance between assessors on one document. Each part has
a share of the error for itself, and the ends are added.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dissensus.inference.sequential.wealth import Floats, Ints, Walk, predictions
from dissensus.stats.intervals import quantile

LARGEST_VARIANCE = 0.25  # of a value in [0, 1]


def topic_variance(walk: Walk, topic: Ints, n_topics: int, value: Floats, inclusion: Floats, bronze: Floats) -> float:
    """s²: how per-topic differences vary; `topic` by draw, `bronze` the value of every bronze label."""
    t = len(value)
    f = predictions(value, walk.label[:t], walk.prior)[-1][walk.label]
    seen = np.flatnonzero(~np.isnan(value))
    x = np.zeros(len(walk.c))
    x[seen] = walk.c[seen] * (value[seen] - f[seen]) / inclusion[seen]
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
