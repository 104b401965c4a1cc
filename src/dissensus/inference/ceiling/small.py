"""The exact ceiling of a few short lists, all lists and nodes at once in numpy: done before numba would be loaded.

The sums are those of `exact`: Σ_j ∫ Σ_i a_i E[w(1 + documents above)] du, with Π_k (1 − q_k + q_k z)^{n_k − 1} as a
product of binomial probabilities, cut behind the last rank that has a weight. All terms are positive: nothing cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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
            q = np.minimum(above[:, None, :] + nodes[None, :, None] * matrix[:, None, :, j], 1.0)
            total += np.einsum("n,tn->t", shares, _integrand(q, counts, share, weights))
        above += matrix[:, :, j]
    return total


def _integrand(q: Floats, counts: Ints, share: Floats, weights: Floats) -> Floats:
    """topic × node: the expected weight of every topic's documents with label j and tie-break u."""
    topics, nodes, grades = q.shape
    room = weights.shape[1]
    others = np.zeros((topics, nodes, room))
    others[:, :, 0] = 1.0
    for k in range(grades):
        more = counts[:, k] > 1
        if more.any():
            others[more] = _product(_binomial(counts[more, k] - 1, q[more, :, k], room), others[more])
    mixture = np.zeros((topics, nodes, grades + 1))
    product = np.zeros((topics, nodes, grades + 1))
    product[:, :, 0] = 1.0
    for k in range(grades):
        here = counts[:, k] > 0
        p = q[here, :, k]
        mixture[here] = _times(mixture[here], p) + share[here, k, None, None] * product[here]
        product[here] = _times(product[here], p)
    out = np.zeros((topics, nodes))
    for m in range(min(grades, room)):
        out += mixture[:, :, m] * np.einsum("tnr,tr->tn", others[:, :, : room - m], weights[:, m:])
    return out


def _binomial(n: Ints, q: Floats, room: int) -> Floats:
    """P(Bin(n, q) = 0 … room − 1), topic × node × number; by logarithms, so that nothing vanishes on the way."""
    h = np.arange(room)
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, max(int(n.max()), room) + 2)))))  # of factorials
    left = n[:, None] - h
    ways = np.where(left >= 0, logs[n][:, None] - logs[h] - logs[np.maximum(left, 0)], -np.inf)
    with np.errstate(divide="ignore"):
        above, below = np.log(q)[:, :, None], np.log1p(-q)[:, :, None]
    part = np.where(h > 0, h * np.where(h > 0, above, 0.0), 0.0)
    rest = np.where((left > 0)[:, None, :], left[:, None, :] * np.where((left > 0)[:, None, :], below, 0.0), 0.0)
    return np.asarray(np.exp(ways[:, None, :] + part + rest), np.float64)


def _product(a: Floats, b: Floats) -> Floats:
    """The product of polynomials, as many terms as they have."""
    room = a.shape[2]
    out = a[:, :, :1] * b
    for h in range(1, room):
        out[:, :, h:] += a[:, :, h : h + 1] * b[:, :, : room - h]
    return np.asarray(out, np.float64)


def _times(polynomial: Floats, q: Floats) -> Floats:
    """(1 − q + q z) · polynomial, as many terms as before."""
    out = polynomial * (1 - q)[:, :, None]
    out[:, :, 1:] += polynomial[:, :, :-1] * q[:, :, None]
    return out
