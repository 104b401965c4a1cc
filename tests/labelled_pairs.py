"""Sums over all pairs of documents of a query, pair by pair: the slow twins of the kernels of rankers."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np


def ranking_data(seed=0, group=(7, 1, 9)):
    """(features, labels, bounds of queries)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(sum(group), 3)).round(1)
    return X, rng.integers(0, 3, sum(group)).astype(float), np.concatenate([[0], np.cumsum(group)])


def ordered_pairs(y, bounds):
    """(i, j) of one query, i with the higher label."""
    for a, b in pairwise(bounds):
        yield from ((i, j) for i, j in permutations(range(a, b), 2) if y[i] > y[j])


def pair_weights(score, y, bounds):
    """RankBoost's weights."""
    for i, j in ordered_pairs(y, bounds):
        yield i, j, np.exp(score[j] - score[i])


def hinge_over_pairs(score, y, bounds):
    """(squared hinge loss, its gradient)."""
    loss, gradient = 0.0, np.zeros(len(score))
    for i, j in ordered_pairs(y, bounds):
        miss = max(0.0, 1 - score[i] + score[j])
        loss += miss**2
        gradient[i] -= 2 * miss
        gradient[j] += 2 * miss
    return loss, gradient
