"""nDCG as a ratio of sums: Σ_q DCG / Σ_q ideal, an estimand of its own.

The mean of per-topic nDCG needs every topic's ideal under gold labels. The ratio of sums needs only their total. Its
numerator is linear and rectified without assumptions; its denominator is imputed, but the same for all systems: it
scales every difference alike and cannot create one.
"""

from __future__ import annotations

import re
from dataclasses import fields

import numpy as np

from dissensus.inference.design import Design
from dissensus.inference.estimate import Estimate, by_rectifying, undefined
from dissensus.inference.imputation import IMPUTATIONS, draw_labels
from dissensus.inference.weights import Floats, weights_of
from dissensus.measures.catalog import measure
from dissensus.measures.gain import DCG, ideal_of, nDCG
from dissensus.measures.measure import Measure


def ratio_measure(name: str) -> nDCG | None:
    """The nDCG behind a name like "nDCG-ratio@10"; None for other names."""
    match = re.fullmatch(r"\s*ndcg-ratio(.*)", name, flags=re.IGNORECASE)
    found = measure("nDCG" + match[1]) if match else None
    return found if isinstance(found, nDCG) else None


def by_ratio(m: Measure, design: Design, target: str, seed: int) -> Estimate:
    """Σ rectified DCG over Σ imputed ideal, with the linearised covariance."""
    assert isinstance(m, nDCG)
    top = DCG(**{f.name: getattr(m, f.name) for f in fields(m)})
    numerator = by_rectifying(top, design, weights_of(top, design.joined, design.gold_scale), target)
    ideals = _ideals(m, design, seed)  # imputation × topic
    mean = ideals.mean(axis=0)
    base = float(mean.mean())
    if base <= 0:
        return undefined(m, numerator.scores.shape, "ratio")
    theta = numerator.scores.mean(axis=1) / base
    n = numerator.scores.shape[1]
    if target == "these_topics" or design.sampled is not None:
        covariance = numerator.covariance / base**2
    else:
        covariance = np.atleast_2d(np.cov(numerator.scores - np.outer(theta, mean))) / (n * base**2)
    between = float(ideals.mean(axis=1).var(ddof=1)) * (1 + 1 / len(ideals)) / base**2
    return Estimate(
        "ratio",
        "audited documents are a random sample; the total of ideals is imputed (it scales all systems alike)",
        numerator.scores / base,
        theta,
        np.asarray(covariance + np.outer(theta, theta) * between, np.float64),
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


def _ideals(m: nDCG, design: Design, seed: int) -> Floats:
    labels = draw_labels(design, seed=seed, n=IMPUTATIONS).astype(np.int64) - design.gold_scale.low
    k, n_topics = len(design.gold_scale), len(design.joined.topics)
    counts = np.zeros((IMPUTATIONS, n_topics, k), np.int64)
    for i in range(IMPUTATIONS):
        counts[i] = np.bincount(design.topic * k + labels[:, i], minlength=n_topics * k).reshape(n_topics, k)
    return np.asarray(ideal_of(m, counts, design.gold_scale), np.float64)
