"""Which documents of a pool may be relevant: chances fitted to the audited ones, for AP.

AP hangs on the order within a topic, so labels drawn from the chances must be tied to that order. What ties them is a
document's place in the *fused ranking* of its topic: reciprocal ranks of all systems, good ones counting more. The
slope on it differs from topic to topic:

    F_d = Σ_s ω_s/(rank_sd + 5),   ω ∝ exp(standardised naive AP),   l_d = log(1 + place of d by F),
    logit P(y = 1) = x_d·b + u_q + u'_q·l_d + u''_q·(2v̂ − 1).

Without them, AP of drawn labels is 0.03 to 0.1 too low even if every label is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.chances import TopicPools, by_topic_mean, classes, quality, standardised
from dissensus.inference.ndcg.regression import Laplace, Regressors, draw_mixture, fit, mixture

SIGMAS, SLOPES = (0.7, 1.1, 1.6), (0.4, 1.0)  # of topics' levels, and of their slopes, in logits
PLACES = 0.7  # the spread of slopes on places, beside that of slopes on the judge's grades
HALF = 0.5**0.5  # two regressors that say nearly the same share a prior variance of 1
NEAR = 5.0  # ranks that 1/(rank + 5) takes for nearly equal


@dataclass(frozen=True, eq=False)
class RelevancePools:
    """A pool, and what is known of every document.

    `pool.weights` are 1/rank, `pool.gold` is 1 for relevant, 0 for not, −1 where not audited.
    """

    pool: TopicPools
    x: Floats
    spread: Floats
    place: Floats  # l_d, standardised

    @classmethod
    def of(cls, pool: TopicPools, relevant: NDArray[np.bool_], near: Weights) -> RelevancePools:
        """`relevant`: whom the judge calls so; `near`: the discounts (as nDCG's) of what each system shows first."""
        fused = _fused(pool)
        place = standardised(np.log(1 + _place(fused, pool)))
        count = np.bincount(pool.topic[relevant], minlength=pool.topics).astype(np.float64)
        columns: list[tuple[Floats, float]] = [
            (np.ones(len(place)), 3.0),
            (2 * pool.bronze - 1, 3.0),
            *classes(pool.label),
            (place, 1.0),
            (standardised(fused), 1.0),
            (standardised(np.log(0.5 + pool.shown)), 1.0),
            (standardised(np.log(1 + count))[pool.topic], HALF),
            (by_topic_mean(pool), HALF),
            (quality(near, pool.naive), 1.0),
        ]
        x = np.stack([c for c, _ in columns], axis=1)
        return cls(pool, x, np.array([s for _, s in columns]), place)

    def told(self, gold: Ints) -> RelevancePools:
        """The same with other labels."""
        return replace(self, pool=replace(self.pool, gold=gold))

    def fitted(self) -> tuple[list[Laplace], Floats]:
        """(the regression for every σ and k, their weights)."""
        pool = self.pool
        seen = np.flatnonzero(pool.audited)
        effects = self.effects(seen)
        given = Regressors(self.x[seen], effects, pool.topic[seen], pool.topics, self.spread)
        y = pool.gold[seen].astype(np.float64)
        fits = [fit(y, given, np.array([s, PLACES * k, k])) for s in SIGMAS for k in SLOPES]
        return fits, mixture(fits, np.zeros(len(fits)))

    def effects(self, items: Ints | slice) -> Floats:
        """What has an effect of the topic: 1, l, 2v̂ − 1."""
        place = self.place[items]
        return np.stack([np.ones(len(place)), place, 2 * self.pool.bronze[items] - 1], axis=1)

    def drawn(self, rng: np.random.Generator, n: int) -> DrawnChances:
        """Draws of the coefficients."""
        b, u = draw_mixture(*self.fitted(), rng, n)
        return DrawnChances(self, b, u)


@dataclass(frozen=True, eq=False)
class DrawnChances:
    """Draws of the coefficients: b (regressors × draws), u (topics × effects × draws)."""

    known: RelevancePools
    b: Floats
    u: Floats

    def chance(self, q: int) -> Floats:
        """P(y = 1) of the documents of a topic, × draws."""
        bounds = self.known.pool.bounds
        items = slice(int(bounds[q]), int(bounds[q + 1]))
        eta = self.known.x[items] @ self.b + self.known.effects(items) @ self.u[q]
        return np.asarray(1 / (1 + np.exp(-eta)), np.float64)


def _fused(pool: TopicPools) -> Floats:
    """F of every document."""
    omega = np.exp(standardised(pool.naive))
    near = omega[pool.weights.system] / (1 / pool.weights.weight + NEAR)
    return np.bincount(pool.weights.item, near, pool.weights.n_items).astype(np.float64, copy=False)


def _place(fused: Floats, pool: TopicPools) -> Floats:
    """The place of every document in its topic by F, from 1; equal ones in the order of the pool."""
    order = np.lexsort((-fused, pool.topic))
    out = np.empty(len(fused))
    out[order] = np.arange(len(fused)) - pool.bounds[pool.topic[order]] + 1
    return out
