"""Per-topic rectification: all topics judged by the bronze judge, a random sample of them also by the gold judge.

Works for every measure, because it needs only per-topic scores B (bronze, all n topics) and G (gold, m audited topics):

    θ = λ·mean_all B + mean_audited (G − λ·B),   λ = 1, or the slope of G on B from 15 audited topics on.

Its variance is var(G)/m + (n − m)/(n·m)·(λ²·var(B) − 2λ·cov(G, B)); the slope minimises it. Intervals use Student's t
with the number of audited topics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.correction.weights import Floats

TUNE_FROM = 15  # audited topics


@dataclass(frozen=True, eq=False)
class Topicwise:
    """Means, their covariance over systems, the topic-wise scores they are means of, λ and degrees of freedom.

    `sampling` is the part of the covariance that the draw of audited topics brings: all of it, for these topics only.
    """

    theta: Floats
    covariance: Floats
    scores: Floats
    slope: Floats
    df: float
    sampling: Floats


def rectify_topics(bronze: Floats, gold: Floats, audited: NDArray[np.bool_], target: str = "population") -> Topicwise:
    """Combine bronze scores of all topics with gold scores of audited ones (systems × topics each).

    Topics where a score is undefined must have been left out by the caller. `target="these_topics"` asks for the mean
    of these n topics only: then only the draw of the audited ones is random, and Var = (n − m)/(n·m)·var(G − λB).
    """
    n, m = bronze.shape[1], int(audited.sum())
    b, g = bronze[:, audited], gold[:, audited]
    slope = np.ones(len(bronze))
    if m >= TUNE_FROM and m < n:
        centred = b - b.mean(axis=1, keepdims=True)
        spread = (centred**2).sum(axis=1)
        along = (centred * (g - g.mean(axis=1, keepdims=True))).sum(axis=1)
        slope = np.divide(along, spread, out=np.ones(len(b)), where=spread > 0)
    rest = g - slope[:, None] * b
    theta = slope * bronze.mean(axis=1) + rest.mean(axis=1)
    lost = (m - 1) / _df(m, n)  # a fitted slope makes residuals look smaller than they are
    sampling = (n - m) / (n * m) * lost * _cov(rest) if m < n else np.zeros((len(b), len(b)))
    scores = _by_topic(bronze, g, rest, slope, audited)
    if target == "these_topics":
        return Topicwise(theta, sampling, scores, slope, _df(m, n), sampling)
    # every topic's share of θ: audited and other topics are independent groups
    inside = slope[:, None] * b / n + rest / m
    covariance = m * _cov(inside)
    if m < n:
        outside = bronze[:, ~audited] if n - m > 1 else bronze
        covariance = covariance + (n - m) * _cov(slope[:, None] * outside) / n**2
    return Topicwise(theta, covariance, scores, slope, _df(m, n), sampling)


def _by_topic(bronze: Floats, gold: Floats, rest: Floats, slope: Floats, audited: NDArray[np.bool_]) -> Floats:
    """Gold scores where there are any, bronze ones moved by the mean correction elsewhere."""
    scores: Floats = slope[:, None] * bronze + rest.mean(axis=1, keepdims=True)
    scores[:, audited] = gold
    return scores


def _df(m: int, n: int) -> float:
    """Audited topics less one, and one more where the slope was fitted."""
    return float(max(m - 1 - (TUNE_FROM <= m < n), 1))


def _cov(x: Floats) -> Floats:
    if x.shape[1] < 2:
        return np.full((len(x), len(x)), np.nan)
    return np.asarray(np.atleast_2d(np.cov(x)), np.float64)
