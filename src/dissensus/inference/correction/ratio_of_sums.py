"""nDCG as a ratio of sums: Σ_q DCG / Σ_q ideal, an estimand of its own.

The mean of per-topic nDCG needs every topic's ideal under gold labels. The ratio of sums needs only their total. Its
numerator is linear and rectified without assumptions. Its denominator comes from a model of gold grades (`ndcg.ideals`)
and is the same for all systems: it scales every difference equally and cannot create one.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, covariance_population, undefined
from dissensus.inference.correction.rectified import by_rectifying
from dissensus.inference.correction.weights import weights_of
from dissensus.inference.ndcg.corrected import ideals_of
from dissensus.inference.ndcg.scores import gains_of, pool_of
from dissensus.measures.families.gain import DCG, ideal_of, nDCG
from dissensus.measures.measure import Measure


def by_ratio(m: Measure, design: Design, target: str, seed: int) -> Estimate:
    """Σ rectified DCG over Σ modelled ideal, with the linearised covariance."""
    assert isinstance(m, nDCG)
    top = DCG(**{f.name: getattr(m, f.name) for f in fields(m)})
    numerator = by_rectifying(
        top, design, weights_of(top, design.joined, design.gold_scale, design.policies.ties), target
    )
    ideal, spread = _ideals(m, design, seed)
    base = float(ideal.mean())
    if base <= 0:
        return undefined(m, numerator.scores.shape, Method.RATIO)
    theta = numerator.scores.mean(axis=1) / base
    if target == "these_topics" or design.sampled is not None:
        covariance = numerator.covariance + np.outer(theta, theta) * spread
    else:
        covariance = covariance_population(numerator.scores - np.outer(theta, ideal))
    return Estimate(
        Method.RATIO,
        "audited documents are a random sample; a model of gold grades gives the total of ideals",
        numerator.scores / base,
        theta,
        covariance / base**2,
        numerator.df,
        "",
        numerator.notes,
        numerator.rectified,
    )


def naive_ratio(m: Measure, design: Design) -> Floats:
    """Bronze DCG over the mean bronze ideal, systems × topics: its mean is the naive ratio of sums."""
    assert isinstance(m, nDCG)
    top = DCG(**{f.name: getattr(m, f.name) for f in fields(m)})
    base = float(ideal_of(m, design.joined.pool_counts[:, 0], design.joined.scale).mean())
    scores = np.asarray(top.scores(design.joined)[0], np.float64)
    return scores / base if base else np.full(scores.shape, np.nan)


def _ideals(m: nDCG, design: Design, seed: int) -> tuple[Floats, float]:
    """(the expected ideal of every topic, in the measure's gains; the variance of their mean over draws)."""
    gains = gains_of(m, design)
    if gains is None or not design.audited.any():
        return np.zeros(len(design.joined.topics)), 0.0
    made = ideals_of(pool_of(m, design), gains, seed)
    total = np.divide(1.0, made.inverse, out=np.zeros_like(made.inverse), where=made.inverse > 0)
    top = float(m.values(design.gold_scale).max())
    return np.asarray(top * total.mean(axis=1)), float(np.var(top * total.mean(axis=0)))
