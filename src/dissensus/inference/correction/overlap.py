"""What systems have in common: how much of the same they show, and how much of it the others show, too.

Both go by a measure's weights over (topic, document), never by labels. Measures that are not linear have the weights
of their discount: nDCG those of DCG, recall those of its numerator, AP, ERR, RR and all others 1/rank.
"""

from __future__ import annotations

import numpy as np

from dissensus.data.tables.collection import Joined
from dissensus.inference.correction.weights import Floats, Weights, weights_by_rank
from dissensus.measures.measure import Measure, Ratio, cut

DENSE = 1_000_000  # cells of a full table that are multiplied at a time
WORK = 5_000_000_000  # multiplications up to which full tables are quicker than scipy.sparse and its import


def discount_weights(measure: Measure, joined: Joined) -> Weights:
    """The weights of a measure's ranks, whatever the labels."""

    def by_rank(n: int) -> Floats:
        plain = measure.weights(n) if isinstance(measure, Ratio) else 1 / np.arange(1, n + 1, dtype=np.float64)
        return cut(plain, measure.cutoff)

    return weights_by_rank(by_rank, joined)


def cosines(weights: Weights) -> Floats:
    """K: the cosine of every two systems' weights; 0 for a system that shows nothing of the pool."""
    product = products(weights)
    length = np.sqrt(np.diag(product))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return np.asarray(product * np.outer(scale, scale), np.float64)


def popularity(weights: Weights) -> Floats:
    """p_s = Σ_d w_sd·(share of systems showing d)/Σ_d w_sd, standardised; 0 for all where all are equally popular.

    >>> w = Weights.from_dense(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]), np.zeros(3, np.int64))
    >>> popularity(w).round(3).tolist()
    [-0.707, -0.707, 1.414]
    """
    n = weights.n_systems
    share = np.bincount(weights.item, minlength=weights.n_items) / n
    total = np.bincount(weights.system, weights.weight, n)
    seen = np.bincount(weights.system, weights.weight * share[weights.item], n)
    plain = np.divide(seen, total, out=np.zeros(n), where=total != 0)
    spread = float(plain.std())
    return np.asarray((plain - plain.mean()) / spread if spread > 1e-12 else np.zeros(n), np.float64)


def identical(weights: Weights) -> list[tuple[int, int]]:
    """Pairs of systems that weigh every document of the pool equally."""
    product = products(weights)
    square = np.diag(product)
    away = square[:, None] + square - 2 * product
    same = np.argwhere(np.triu(away <= 1e-12 * np.maximum(square[:, None], square), 1))
    return [(int(a), int(b)) for a, b in same]


def products(weights: Weights) -> Floats:
    """Σ_d w_ad·w_bd of every two systems."""
    n, m = weights.n_systems, weights.n_items
    if n * n * m <= WORK:
        out = np.zeros((n, n))
        order = np.argsort(weights.item, kind="stable")
        system, item, weight = weights.system[order], weights.item[order], weights.weight[order]
        width = max(DENSE // max(n, 1), 1)
        for first in range(0, m, width):
            a, b = np.searchsorted(item, (first, first + width))
            cell = system[a:b] * width + (item[a:b] - first)
            dense = np.bincount(cell, weight[a:b], n * width).reshape(n, width)
            out += dense @ dense.T
        return out
    from scipy.sparse import csr_array

    shape = (weights.n_systems, weights.n_items)
    table = csr_array((weights.weight, (weights.system, weights.item)), shape=shape)
    return np.asarray((table @ table.T).toarray(), np.float64)
