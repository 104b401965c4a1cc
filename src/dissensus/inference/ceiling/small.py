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
    others = np.zeros((room, topics, nodes))
    others[0] = 1.0
    mixture, product = np.zeros((2, grades + 1, topics, nodes))
    product[0] = 1.0
    first = True
    for k in range(grades):
        more, here = counts[:, k] > 1, counts[:, k] > 0
        if more.all():
            powers = _binomial(counts[:, k] - 1, q[k], room)
            others = powers if first else _product(powers, others)
            first = False
        elif more.any():
            others[:, more] = _product(_binomial(counts[more, k] - 1, q[k, more], room), others[:, more])
            first = False
        if here.any():
            some = slice(None) if here.all() else here
            mixture[:, some] = _times(mixture[:, some], q[k, some]) + share[some, k, None] * product[:, some]
            product[:, some] = _times(product[:, some], q[k, some])
    out = np.zeros((topics, nodes))
    for m in range(min(grades, room)):
        expected = np.zeros((topics, nodes))
        for r in range(room - m):
            expected += others[r] * weights[:, m + r, None]
        out += mixture[m] * expected
    return out


def _binomial(n: Ints, q: Floats, room: int) -> Floats:
    """P(Bin(n, q) = 0 … room − 1), number × topic × node; by logarithms, so that nothing vanishes on the way."""
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, max(int(n.max()), room) + 2)))))  # of factorials
    with np.errstate(divide="ignore"):
        above, below = np.log(q), np.log1p(-q)
    out = np.zeros((room, *q.shape))
    for h in range(room):
        left = n - h
        ways = np.where(left >= 0, logs[n] - logs[h] - logs[np.maximum(left, 0)], -np.inf)
        power = np.zeros(q.shape) if h == 0 else h * above
        # 0 · log 0 is 0: where nothing is left, 1 − q does not matter
        rest = left > 0
        power[rest] += left[rest, None] * below[rest]
        np.exp(ways[:, None] + power, out=out[h])
    return out


def _product(a: Floats, b: Floats) -> Floats:
    """The product of polynomials, as many terms as they have."""
    room = len(a)
    out: Floats = a[0] * b
    for h in range(1, room):
        out[h:] += a[h] * b[: room - h]
    return out


def _times(polynomial: Floats, q: Floats) -> Floats:
    """(1 − q + q z) · polynomial, as many terms as before."""
    out: Floats = polynomial * (1 - q)
    out[1:] += polynomial[:-1] * q
    return out
