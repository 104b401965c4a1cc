"""What gold grades the documents of a pool may have: chances fitted to the audited ones, and draws of all.

Grades are climbed step by step (continuation ratios): of the audited documents that reached grade g − 1, which reached
g? Each step is a regression with an effect of the topic (`regression`):

    logit P(G ≥ g | G ≥ g − 1) = x_d·b_g + u_qg.

x holds what is known of every document: the judge's label, how much and how often systems show it, and how good those
systems are. It also holds how high the judge grades its topic and, from the second step on, what the step before showed
of the topic. Who shows a document matters most. Without it differences between systems shrink by a quarter.

Audited documents are not weighted by 1/π. Their chances of being audited depend on what is in x, and what the model
still gets wrong is corrected by the audited documents themselves (`corrected`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.weights import Weights
from dissensus.inference.ndcg.regression import Laplace, Regressors, draw_mixture, fit, mixture

SIGMAS = np.array([0.1, 0.35, 0.7, 1.1, 1.6, 2.3])  # how unlike each other topics may be, in logits
BELIEF = 18.0  # of σ: exp(−σ²/18)
SHOWN = 100  # ranks in which a document counts as shown
LEAST = 0.3  # spread over topics below which what is carried from step to step is not scaled up


@dataclass(frozen=True, eq=False)
class TopicPools:
    """The documents of all topics, by topic, as the model sees them.

    `weights` are the discounts of the documents that systems show down to the cut-off; `bronze` the judge's grades on
    [0, 1] (0.5 without a label), `label` their classes; `shown` how many systems show a document in their first 100;
    `gold` levels, −1 where not audited; `inclusion` π of every document; `naive` the systems' mean scores by the
    judge's labels.
    """

    weights: Weights
    bronze: Floats
    label: Ints
    shown: Ints
    gold: Ints
    inclusion: Floats
    naive: Floats
    levels: int

    @property
    def topic(self) -> Ints:
        return self.weights.item_topic

    @property
    def topics(self) -> int:
        return self.weights.n_topics

    @cached_property
    def bounds(self) -> Ints:
        """Where each topic's documents begin, and the end."""
        return np.searchsorted(self.topic, np.arange(self.topics + 1))

    @cached_property
    def audited(self) -> NDArray[np.bool_]:
        return self.gold >= 0


def regressors(pool: TopicPools) -> tuple[Floats, Floats]:
    """(x of every document, the prior standard deviation of each coefficient)."""
    columns: list[tuple[Floats, float]] = [
        (np.ones(len(pool.bronze)), 3.0),
        (2 * pool.bronze - 1, 3.0),
        *classes(pool.label),
        (standardised(np.log(0.25 + exposure(pool.weights))), 1.0),
        (standardised(np.log(0.5 + pool.shown)), 1.0),
        (by_topic_mean(pool), 0.7),
        (quality(pool.weights, pool.naive), 1.0),
    ]
    return np.stack([c for c, _ in columns], axis=1), np.array([s for _, s in columns])


def classes(label: Ints) -> list[tuple[Floats, float]]:
    """One column for each class of the judge's labels, where there are more than two."""
    there = np.unique(label)
    return [((label == c).astype(np.float64), 0.5) for c in there] if len(there) > 2 else []


def exposure(weights: Weights) -> Floats:
    """Σ_s w_sd of every document."""
    return np.bincount(weights.item, weights.weight, weights.n_items).astype(np.float64, copy=False)


def quality(weights: Weights, naive: Floats) -> Floats:
    """How good those systems are, by the judge's labels, that show a document: Σ_s w_sd z_s/(Σ_s w_sd + ½), scaled."""
    seen = exposure(weights)
    z = standardised(naive)
    out: Floats = np.bincount(weights.item, weights.weight * z[weights.system], weights.n_items) / (seen + 0.5)
    spread = float(out[seen > 0].std()) if (seen > 0).any() else 0.0
    return out / spread if spread > 1e-12 else np.zeros(len(out))


def by_topic_mean(pool: TopicPools) -> Floats:
    """The mean of the judge's grades on a document's topic, standardised over topics."""
    size = np.maximum(np.bincount(pool.topic, minlength=pool.topics), 1)
    mean = np.bincount(pool.topic, pool.bronze, pool.topics) / size
    return standardised(mean)[pool.topic]


def standardised(x: Floats) -> Floats:
    """Mean 0 and standard deviation 1; zeros where all are equal."""
    spread = float(x.std())
    return np.asarray((x - x.mean()) / spread if spread > 1e-12 else np.zeros(len(x)), np.float64)


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the climb: the regressors of all documents, and the regression for every σ with its weight."""

    x: Floats
    fits: list[Laplace]
    weight: Floats

    def mean(self) -> tuple[Floats, Floats]:
        """The posterior means of b and of the topics' effects."""
        b = sum(w * f.b for w, f in zip(self.weight, self.fits, strict=True))
        u = sum(w * f.u[:, 0] for w, f in zip(self.weight, self.fits, strict=True))
        return np.asarray(b), np.asarray(u)


def climb(pool: TopicPools) -> list[Step]:
    """The regressions of all steps, from the audited documents."""
    x, spread = regressors(pool)
    steps: list[Step] = []
    carried: Floats | None = None  # by topic
    for g in range(1, pool.levels):
        if steps:
            b, u = steps[-1].mean()
            carried = u if carried is None else u + b[-1] * carried
            carried = carried / max(float(carried.std()), LEAST)
            wide, prior = np.column_stack([x, carried[pool.topic]]), np.append(spread, 1.0)
        else:
            wide, prior = x, spread
        reached = np.flatnonzero(pool.gold >= g - 1)
        given = Regressors(wide[reached], np.ones((len(reached), 1)), pool.topic[reached], pool.topics, prior)
        y = (pool.gold[reached] >= g).astype(np.float64)
        fits = [fit(y, given, np.array([s])) for s in SIGMAS]
        steps.append(Step(wide, fits, mixture(fits, -(SIGMAS**2) / BELIEF)))
    return steps


@dataclass(frozen=True, eq=False)
class DrawnGrades:
    """Draws of the coefficients of all steps; what they say of some documents is computed when it is asked for."""

    steps: list[Step]
    coefficients: list[tuple[Floats, Floats]]  # of every step: b (regressors × draws), u (topics × draws)

    @classmethod
    def of(cls, steps: list[Step], rng: np.random.Generator, n: int) -> DrawnGrades:
        made = []
        for step in steps:
            b, u = draw_mixture(step.fits, step.weight, rng, n)
            made.append((b, u[:, 0]))
        return cls(steps, made)

    def at_least(self, items: slice, topic: Ints) -> Floats:
        """P(G ≥ g) of these documents, g = 1…; steps × documents × draws."""
        out: list[Floats] = []
        for step, (b, u) in zip(self.steps, self.coefficients, strict=True):
            eta = step.x[items] @ b
            eta += u[topic]
            np.negative(eta, out=eta)
            np.exp(eta, out=eta)
            eta += 1.0
            np.reciprocal(eta, out=eta)
            out.append(eta if not out else np.multiply(eta, out[-1], out=eta))
        return np.stack(out)
