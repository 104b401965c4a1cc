"""What each judge's scores show of every pair of systems, and which systems each judge puts first.

For every judge, paired t tests of all pairs of systems over topics, adjusted together by max-t as `compare` does it. A
claim "A is better than B" is *shown* under a judge, *reversed* where B is shown better, else *undecided*. Means are
rounded to 12 decimals, and the systems with the highest one are the judge's *winners*: weak judges tie dozens. Systems
to which no other is shown better *could be the best*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Bools, Floats, Ints
from dissensus.inference.comparison.engine import pairs_of
from dissensus.judging.leaderboards import DECIMALS
from dissensus.stats.intervals import quantile
from dissensus.stats.simultaneous import FEW, critical, largest_pair_z

DRAWS, FEW_DRAWS = 2_000, 500  # of the largest statistic, of every judge; fewer where spreads are drawn, too


@dataclass(frozen=True, eq=False)
class Claims:
    """Pairs (a, b) of systems under every judge: `difference`, and `half` of the simultaneous interval, judges × pairs.

    `sign` is 1 where a is shown better, −1 where b is, 0 where it is undecided; `winner` and `best` are judges ×
    systems: has the highest mean, could be the best.
    """

    a: Ints
    b: Ints
    difference: Floats
    half: Floats
    sign: NDArray[np.int8]
    winner: Bools
    best: Bools

    def pair(self, a: int, b: int) -> tuple[Floats, Floats]:
        """(difference of system a minus system b, half width) under every judge."""
        at = int(np.flatnonzero((self.a == min(a, b)) & (self.b == max(a, b)))[0])
        return (self.difference[:, at] if a < b else -self.difference[:, at]), self.half[:, at]


def claims_of(values: Floats, *, level: float = 0.95, seed: int = 0) -> Claims:
    """Claims of every judge; `values` is judge × system × topic, higher is better, without gaps."""
    judges, systems, topics = values.shape
    a, b = pairs_of(systems)
    difference, half = np.empty((judges, len(a))), np.empty((judges, len(a)))
    sign = np.zeros((judges, len(a)), np.int8)
    best = np.ones((judges, systems), bool)
    draws = DRAWS if topics - 1 >= FEW else FEW_DRAWS
    for j, x in enumerate(values):
        centred = x - x.mean(axis=1, keepdims=True)
        covariance = centred @ centred.T / ((topics - 1) * topics)
        limit = critical(largest_pair_z(covariance, a, b, df=topics - 1, draws=draws, seed=seed), level)
        mean, variance = x.mean(axis=1), np.diag(covariance)
        size = np.maximum(variance[a] + variance[b] - 2 * covariance[a, b], 0.0)
        constant = size < 1e-18 * np.maximum(np.maximum(variance[a], variance[b]), 1e-300)
        difference[j] = mean[a] - mean[b]
        half[j] = quantile(_level_of(limit), topics - 1) * np.sqrt(size)
        # the same difference on all topics has no standard error; that all n signs agree has p = 2^(1 − n)
        half[j][constant] = 0.0 if 2.0 ** (1 - topics) < 1 - _level_of(limit) else np.inf
        half[j][constant & (np.abs(difference[j]) < 1e-12)] = 0.0
        sign[j] = np.where(difference[j] > half[j] + 1e-15, 1, np.where(difference[j] < -half[j] - 1e-15, -1, 0))
        best[j, b[sign[j] > 0]] = False
        best[j, a[sign[j] < 0]] = False
    means = np.round(values.mean(axis=2), DECIMALS)
    return Claims(a, b, difference, half, sign, means == means.max(axis=1, keepdims=True), best)


def _level_of(z: float) -> float:
    """The level of one interval that reaches z standard errors."""
    from scipy.special import ndtr

    return float(min(2 * ndtr(z) - 1, 1 - 1e-15))


def copies(values: Floats, systems: Sequence[str]) -> tuple[Ints, list[list[str]]]:
    """(one system of every group that scores the same under all judges on all topics, the groups of several)."""
    flat = np.round(values, DECIMALS).transpose(1, 0, 2).reshape(len(systems), -1)
    _, first, group = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    same = [[systems[i] for i in np.flatnonzero(group.reshape(-1) == g).tolist()] for g in range(len(first))]
    return np.sort(first), [names for names in same if len(names) > 1]


def own_team(values: Floats, systems: Bools, judge: int, others: Bools) -> tuple[float, float, float]:
    """(how much more a judge gives a team's own systems than others do, low, high), a 95% t interval over topics.

    On each topic: the judge's scores minus the mean of `others` (judges of other teams, or gold), averaged over the
    team's systems, minus the same over all other systems.
    """
    gap = values[judge] - values[others].mean(axis=0)
    per_topic = gap[systems].mean(axis=0) - gap[~systems].mean(axis=0)
    n = len(per_topic)
    half = quantile(0.95, n - 1) * float(per_topic.std(ddof=1)) / np.sqrt(n)
    middle = float(per_topic.mean())
    return middle, middle - half, middle + half
