"""nDCG under a sampled audit: DCG is corrected by the audited documents, the ideal comes from a model of gold grades.

    θ_s = 1/T Σ_q i_q Σ_d w_sd E*[v_d] + 1/T Σ_audited (1/π_d − 1)·i_q(−d)·w_sd·(v_d − f_d(−d)).

The first term is what the model says (`chances`, `ideals`), audited labels in their places. The second repairs it by
what audited documents show of those like them that were not audited, as in rectified scores. With every document
audited it is nDCG itself. Its covariance is

    C = ½Σ_all ψψ's²_d(1 − π)/π + ½Σ_audited ψψ'(v − f(−d))²(1 − π)/π² + cov*(1/T Σ_q D_sq/I_q),

ψ_sd = w_sd i_q/T, s²_d the variance of a document's gain, D_sq = Σ_d w_sd E*[v_d]. The terms of C are what is
expected of all documents, what the audited ones showed, and what is not known of the ideals. A score's variance has
(0.025·θ_s)² on top, what the model of the ideals may be wrong by. That is common to all systems, so
differences do not have it.

When not to use it: with fewer than ten audited documents of a relevant grade nothing shows how high the ideals are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.correction.estimate import AuditPart
from dissensus.inference.correction.weights import Weights, products
from dissensus.inference.ndcg.chances import DrawnGrades, TopicPools, climb
from dissensus.inference.ndcg.ideals import Ideals, ideals
from dissensus.work.seeds import generator

DRAWS = 200
LEAST_SPREAD = 0.02 / 9  # variance of a document's gain, on gains from 0 to 1
MODEL = 0.025  # of a score: what the model of the ideals may be wrong by
LEAST_CHANCE = 0.002  # of being audited
RELEVANT = 10  # audited documents of a relevant grade, at least


@dataclass(frozen=True, eq=False)
class Gains:
    """What nDCG looks at: the gain of every gold level on [0, 1], and the discount of every rank to the cut-off."""

    values: Floats
    discounts: Floats


@dataclass(frozen=True, eq=False)
class Sampled:
    """Corrected scores by topic (`scores`, systems × topics), what the model says alone (`model`), and their errors.

    `number` is what sums over topics are divided by: all topics, or those in which something is relevant (`answered`,
    the chance of that by topic). `expected` and `part` are the two forms of the audit's covariance, `ideals` is the
    ideals' part; `common` is the variance that all single scores share.
    """

    scores: Floats
    model: Floats
    number: float
    answered: Floats
    expected: Floats
    part: AuditPart
    ideals: Floats
    common: Floats

    @property
    def theta(self) -> Floats:
        return np.asarray(self.scores.sum(axis=1) / self.number, np.float64)

    @property
    def model_theta(self) -> Floats:
        """The first term alone."""
        return np.asarray(self.model.sum(axis=1) / self.number, np.float64)

    @property
    def audit(self) -> Floats:
        """The audit's part of the covariance: half of what is expected, half of what was shown."""
        return (self.expected + self.part.covariance) / 2

    @property
    def covariance(self) -> Floats:
        """C, for these topics."""
        return self.audit + self.ideals


def sampled_scores(
    pool: TopicPools, gains: Gains, *, seed: int, draws: int = DRAWS, empty: str = "zero", fixed: bool = False
) -> Sampled:
    """Corrected nDCG of all systems; `fixed`: the audit has a fixed number of documents, drawn together."""
    made = ideals_of(pool, gains, seed, draws)
    seen, pi = made.audited, np.maximum(pool.inclusion, LEAST_CHANCE)
    expected = made.mean.copy()
    expected[seen] = gains.values[pool.gold[seen]]
    inverse = made.expected[pool.topic]
    residual = made.inverse_without * (gains.values[pool.gold[seen]] - made.mean_without)
    number = _number(pool, made, empty)
    value = expected * inverse
    model = pool.weights.scores(value)
    value[seen] += (1 / pi[seen] - 1) * residual
    scores = pool.weights.scores(value)
    spread = np.maximum(made.spread, LEAST_SPREAD) * (1 - pi) / pi
    by_item = scaled(pool.weights, inverse * np.sqrt(spread))
    return Sampled(
        scores,
        model,
        number,
        made.answered,
        products(by_item) / number**2,
        AuditPart.of(pool.weights.dense(seen), residual, pi[seen], number, fixed=fixed),
        _covariance(pool.weights.scores(expected) @ made.inverse / number),
        _common(scores.sum(axis=1) / number, scaled(pool.weights, inverse), pi),
    )


def ideals_of(pool: TopicPools, gains: Gains, seed: int, draws: int = DRAWS) -> Ideals:
    """Fit the chances to the audited documents, and draw the grades of the others."""
    drawn = DrawnGrades.of(climb(pool), generator(seed, 0), draws)
    return ideals(pool, drawn, gains.values, gains.discounts, generator(seed, 1))


def scaled(weights: Weights, by_item: Floats) -> Weights:
    """The weights times a number of every document."""
    return replace(weights, weight=weights.weight * by_item[weights.item])


def _number(pool: TopicPools, made: Ideals, empty: str) -> float:
    """What a sum over topics is divided by; topics without relevant documents are scored 0 or left out."""
    if empty == "zero":
        return float(pool.topics)
    return max(float(made.answered.sum()), 1e-12)


def _covariance(means: Floats) -> Floats:
    """Over draws (columns)."""
    away = means - means.mean(axis=1, keepdims=True)
    return np.asarray(away @ away.T / means.shape[1], np.float64)


def _common(theta: Floats, psi: Weights, pi: Floats) -> Floats:
    """(0.025·θ_s)² times the share of documents that were not certain to be audited, weighted by ψ²."""
    square = psi.weight**2
    whole = np.bincount(psi.system, square, psi.n_systems)
    open_ = np.bincount(psi.system, square * (pi[psi.item] < 1), psi.n_systems)
    share = np.divide(open_, whole, out=np.zeros(psi.n_systems), where=whole > 0)
    return np.asarray((MODEL * theta) ** 2 * share, np.float64)
