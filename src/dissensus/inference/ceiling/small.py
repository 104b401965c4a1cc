"""The exact ceiling of a few short lists, all lists and nodes at once in numpy: done before numba would be loaded.

The sums are those of `exact`: Σ_j ∫ Σ_i a_i E[w(1 + documents above)] du, with Π_k (1 − q_k + q_k z)^{n_k − 1} as a
product of binomial probabilities, cut behind the last rank that has a weight. All terms are positive: nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
VANISHES = -700.0  # logarithm of what is nearly too small for a float
FEW = 60_000_000  # steps that take a tenth of a second, a tenth of what loading numba takes


def is_small(counts: Ints, labels: int, nodes: int, room: int) -> bool:
    """Is the job so small that numpy is quicker than loading numba? (A matter of sizes alone: results repeat.)"""
    return bool(len(counts) * counts.shape[1] * nodes * room * (room + 20) * labels <= FEW)


def expected_scores(
    counts: Ints, matrices: Floats, matrix_of: Ints, weights: Floats, values: Floats, nodes: Floats, shares: Floats
) -> Floats:
    """`exact.expected_scores` of all topics; weights (topic × rank) are 0 behind each topic's last.

    >>> counts, same = np.array([[1, 1]]), np.eye(2)[None]
    >>> expected_scores(counts, same, np.zeros(1, int), np.array([[1.0, 0.5]]), np.array([[0.0, 1.0]]),
    ...                 np.array([0.5]), np.array([1.0])).tolist()
    [1.0]
    """
    matrix = matrices[matrix_of]  # topic × grade × label
    above = np.zeros(counts.shape)
    total = np.zeros(len(counts))
    for j in range(matrix.shape[2] - 1, -1, -1):
        share = counts * values * matrix[:, :, j]
        if share.any():
            q = np.minimum(above.T[:, :, None] + matrix[:, :, j].T[:, :, None] * nodes, 1.0)
            total += np.einsum("n,tn->t", shares, _integrand(q, counts, share, weights))
        above += matrix[:, :, j]
    return total


def _integrand(q: Floats, counts: Ints, share: Floats, weights: Floats) -> Floats:
    """topic × node: the expected weight of every topic's documents with label j and tie-break u.

    `q` is grade × topic × node. Polynomials have their terms on the first axis, so that every operation runs over all
    topics and nodes in one stretch of memory.
    """
    grades, topics, nodes = q.shape
    room = weights.shape[1]
    others = np.empty(0)
    mixture, product = np.zeros((2, grades + 1, topics, nodes))
    product[0] = 1.0
    present = np.flatnonzero(counts.any(axis=0))
    for d, k in enumerate(present):  # d is the degree of the product so far
        powers = _binomial(np.maximum(counts[:, k] - 1, 0), q[k], room)
        others = _product(powers, others) if d else powers
        once = np.where(counts[:, k, None] > 0, q[k], 0.0)  # a topic without the grade: times 1 − 0 + 0 z
        mixture[: d + 1] = _times(mixture[: d + 1], once) + share[:, k, None] * product[: d + 1]
        product[: d + 2] = _times(product[: d + 2], once)
    out = np.zeros((topics, nodes))
    for m in range(min(len(present), room)):
        out += mixture[m] * np.einsum("rtn,tr->tn", others[: room - m], weights[:, m:])
    return out


def _binomial(n: Ints, q: Floats, room: int) -> Floats:
    """P(Bin(n, q) = 0 … room − 1), number × topic × node: each from the one before, the first being (1 − q)ⁿ."""
    out = np.empty((room, *q.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        first, odds = n[:, None] * np.log1p(-q), q / (1 - q)
    vanishes = ~(first > VANISHES)
    some = vanishes.any()
    if some:
        odds[vanishes] = 0.0
    np.exp(first, out=out[0])
    for h in range(1, room):
        np.multiply(out[h - 1], odds, out=out[h])
        out[h] *= (np.maximum(n - h + 1, 0) / h)[:, None]
    if some:
        out[:, vanishes] = _by_logarithms(np.broadcast_to(n[:, None], q.shape)[vanishes], q[vanishes], room)
    return out


def _by_logarithms(n: Ints, q: Floats, room: int) -> Floats:
    """P(Bin(n, q) = 0 … room − 1), number × cell: slower, and nothing vanishes on the way."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, max(int(n.max()), room) + 2)))))  # of factorials
    with np.errstate(divide="ignore"):
        above, below = np.log(q), np.log1p(-q)
    out = np.zeros((room, len(q)))
    for h in range(room):
        left = n - h
        ways = np.where(left >= 0, logs[n] - logs[h] - logs[np.maximum(left, 0)], -np.inf)
        power = np.zeros(len(q)) if h == 0 else h * above
        # 0 · log 0 is 0: where nothing is left, 1 − q does not matter
        rest = left > 0
        power[rest] += left[rest] * below[rest]
        np.exp(ways + power, out=out[h])
    return out


def _product(a: Floats, b: Floats) -> Floats:
    """The product of polynomials, as many terms as they have."""
    room = len(a)
    out: Floats = a[0] * b
    term = np.empty_like(b)
    for h in range(1, room):
        np.multiply(a[h], b[: room - h], out=term[: room - h])
        out[h:] += term[: room - h]
    return out


def _times(polynomial: Floats, q: Floats) -> Floats:
    """(1 − q + q z) · polynomial, as many terms as before."""
    out: Floats = polynomial * (1 - q)
    out[1:] += polynomial[:-1] * q
    return out
