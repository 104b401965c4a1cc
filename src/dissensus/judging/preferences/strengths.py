"""Bradley–Terry strengths: P(i preferred to j) = σ(θ_i − θ_j + δ·shown), by Newton's method.

"Same" is half an answer for each side (`ties="half"`), or an answer of its own (`ties="davidson"`, Davidson 1970):

    P(i) : P(same) : P(j) = π_i : ν√(π_i π_j) : π_j,   π = e^θ.

Strengths have mean 0. They exist only if every group of items has lost to one outside it (Ford 1957); otherwise each
item gets one more answer, half won and half lost against an average item, and the result says so (`shrunken`).

The covariance is the sandwich with topics as clusters, H⁻¹ (Σ_t g_t g_tᵀ) H⁻¹·T/(T − 1): answers about one topic depend
on each other. Where items belong to one topic each, there is nothing to cluster, and it is H⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, ndtr

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError
from dissensus.stats.intervals import quantile
from dissensus.stats.simultaneous import critical, largest_pair_z

ROUNDS, TOLERANCE = 100, 1e-9
DENSE = 5_000_000  # clusters × items up to which their table is multiplied as a full one
MANY_PAIRS, FEW_DRAWS = 100_000, 2_000  # pairs of items beyond which the largest is drawn less often


@dataclass(frozen=True, eq=False)
class Strengths:
    """θ of n items with its covariance; `position` is δ (0 where no order is known), `nu` Davidson's ν (0: ties ½)."""

    theta: Floats
    covariance: Floats
    position: float
    nu: float
    rounds: int
    converged: bool
    shrunken: bool
    clusters: int  # topics of the sandwich; 0: the covariance is the model's


@dataclass(frozen=True)
class Comparisons:
    """Answers about items numbered 0 … n − 1: `answer` 1 for i, 0 for j, ½ for the same; `shown` 1 if i came first."""

    n: int
    i: Ints
    j: Ints
    answer: Floats
    shown: Ints
    cluster: Ints
    times: Floats | None = None  # how often each answer was given; once without it

    def grouped(self) -> Comparisons:
        """Equal answers about a pair as one that was given often: a million answers are a few thousand."""
        key = ((self.i * self.n + self.j) * 3 + self.shown + 1) * 3 + (2 * self.answer).astype(np.int64)
        _, first, place = np.unique(key, return_index=True, return_inverse=True)
        weight = np.ones(len(key)) if self.times is None else self.times
        times = np.asarray(np.bincount(place, weight, len(first)), np.float64)
        return Comparisons(
            self.n, self.i[first], self.j[first], self.answer[first], self.shown[first], self.cluster[first], times
        )


def fit(data: Comparisons, *, ties: str = "half", clustered: bool = True) -> Strengths:
    """Strengths of one connected set of items.

    `clustered`: topics are clusters and δ is estimated; else, for the items of one topic, the covariance is the model's
    and δ is 0.
    """
    _check(data, ties)
    shrunken = not connected(data, "strong")
    free = np.r_[np.ones(data.n, bool), clustered and _both_places_win(data), ties == "davidson" and _some_ties(data)]
    grouped = data.grouped()
    x, rounds = maximise(grouped, np.zeros(data.n + 2), None, free, shrunken)
    _, hessian = _derivatives(grouped, x, None, bool(free[-1]), shrunken)
    inverse = np.zeros_like(hessian)
    inverse[np.ix_(free, free)] = np.linalg.pinv(hessian[np.ix_(free, free)], rcond=1e-10, hermitian=True)
    covariance, number = inverse, 0
    if clustered and (clusters := len(np.unique(data.cluster))) > 1:
        number = clusters
        covariance = inverse @ _outer_scores(data, x, bool(free[-1])) @ inverse * number / (number - 1)
    theta = x[: data.n] - x[: data.n].mean()
    nu = float(np.exp(x[-1])) if free[-1] else 0.0
    own = covariance[: data.n, : data.n]
    return Strengths(theta, own, float(x[data.n]), nu, rounds, rounds < ROUNDS, shrunken, number)


def _both_places_win(data: Comparisons) -> bool:
    """Did the first place win and lose, whichever item of a pair had it? Else δ may have no finite estimate."""
    known = (data.shown != 0) & (data.answer != 0.5)
    return len(np.unique(3 * data.shown[known] + (2 * data.answer[known]).astype(np.int64))) == 4


def _some_ties(data: Comparisons) -> bool:
    return bool((data.answer == 0.5).any())


def _check(data: Comparisons, ties: str) -> None:
    if ties not in ("half", "davidson"):
        raise InputError(f'ties={ties!r} is neither "half" nor "davidson".')
    if not connected(data, "weak"):
        raise InputError(
            "the items fall into groups that were never compared with each other, so that their strengths have no "
            "common scale.",
            "Give the groups one by one.",
        )


def maximise(
    data: Comparisons, start: Floats, power: Floats | None, free: NDArray[np.bool_], shrunken: bool, most: int = ROUNDS
) -> tuple[Floats, int]:
    """(θ, δ, ln ν at the maximum, rounds used); `power` multiplies θ_i − θ_j of each answer, only `free` ones move."""
    x, n, rounds = start.copy(), data.n, 0
    longest = np.inf
    while longest >= TOLERANCE and rounds < most:
        rounds += 1
        gradient, hessian = _derivatives(data, x, power, bool(free[-1]), shrunken)
        if not shrunken:
            hessian[:n, :n] += 1.0 / n  # the mean of θ is free: fixed at 0
        step = np.zeros_like(x)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        longest = float(np.abs(step).max(initial=0.0))
        x += step * min(1.0, 2.0 / longest) if longest > 0 else 0.0
    return x, rounds


@dataclass(frozen=True)
class _Slopes:
    """Of every answer: derivatives of its log-likelihood by the gap θ_i − θ_j + δ·shown and by ln ν."""

    by_gap: Floats
    by_nu: Floats | None
    var_gap: Floats
    var_nu: Floats | None
    cross: Floats | None


def _slopes(data: Comparisons, x: Floats, power: Floats | None, davidson: bool) -> _Slopes:
    n = data.n
    gap = x[data.i] - x[data.j]
    gap = (gap if power is None else power * gap) + x[n] * data.shown
    if not davidson:
        p = expit(gap)
        return _Slopes(data.answer - p, None, p * (1 - p), None, None)
    win, same, lose = np.exp(gap / 2), np.full(len(gap), np.exp(x[n + 1])), np.exp(-gap / 2)
    total = win + same + lose
    p, q = win / total, same / total
    won, tied = (data.answer == 1).astype(float), (data.answer == 0.5).astype(float)
    mean = (p - (1 - p - q)) / 2
    return _Slopes((2 * won + tied - 1) / 2 - mean, tied - q, (1 - q) / 4 - mean**2, q * (1 - q), -mean * q)


def _derivatives(
    data: Comparisons, x: Floats, power: Floats | None, davidson: bool, shrunken: bool
) -> tuple[Floats, Floats]:
    """(gradient, minus Hessian) of the log-likelihood in θ, δ, ln ν: sums over pairs, no matrix of answers × items."""
    n = data.n
    found = _slopes(data, x, power, davidson)
    times = 1.0 if data.times is None else data.times
    scale = times if power is None else power * times

    def by_item(weight: Floats) -> Floats:
        return np.asarray(np.bincount(data.i, weight, n) - np.bincount(data.j, weight, n))

    gradient, hessian = np.zeros(n + 2), np.zeros((n + 2, n + 2))
    gradient[:n] = by_item(scale * found.by_gap)
    gradient[n] = float((times * data.shown * found.by_gap).sum())
    bend = scale * found.var_gap if power is None else scale * power * found.var_gap
    between = np.bincount(data.i * n + data.j, bend, n * n).reshape(n, n)
    between = between + between.T
    hessian[:n, :n] = np.diag(between.sum(axis=1)) - between
    hessian[:n, n] = hessian[n, :n] = by_item(scale * found.var_gap * data.shown)
    hessian[n, n] = float((times * found.var_gap * data.shown**2).sum())
    if found.by_nu is not None and found.var_nu is not None and found.cross is not None:
        gradient[n + 1] = float((times * found.by_nu).sum())
        hessian[n + 1, n + 1] = float((times * found.var_nu).sum())
        hessian[:n, n + 1] = hessian[n + 1, :n] = by_item(scale * found.cross)
        hessian[n, n + 1] = hessian[n + 1, n] = float((times * data.shown * found.cross).sum())
    if shrunken:  # one answer against an average item, half won and half lost
        q = expit(x[:n])
        gradient[:n] += 0.5 - q
        hessian[np.arange(n), np.arange(n)] += q * (1 - q)
    return gradient, hessian


def _outer_scores(data: Comparisons, x: Floats, davidson: bool) -> Floats:
    """Σ_t g_t g_tᵀ over clusters: a sparse table of clusters × items, since an answer touches two items."""
    n, found = data.n, _slopes(data, x, None, davidson)
    _, cluster = np.unique(data.cluster, return_inverse=True)
    parts = [(data.i, found.by_gap), (data.j, -found.by_gap), (np.full(len(cluster), n), data.shown * found.by_gap)]
    if found.by_nu is not None:
        parts.append((np.full(len(cluster), n + 1), found.by_nu))
    row, column = np.tile(cluster, len(parts)), np.concatenate([c for c, _ in parts])
    shape = int(cluster.max()) + 1, n + 2
    table = coo_array((np.concatenate([g for _, g in parts]), (row, column)), shape=shape).tocsr()
    if shape[0] * shape[1] <= DENSE:
        full = table.toarray()
        return np.asarray(full.T @ full)
    return np.asarray((table.T @ table).toarray())


def linked(i: Ints, j: Ints, n: int) -> Ints:
    """The group of every one of `n` items; comparisons i, j lead from any item of a group to any other."""
    graph = coo_array((np.ones(len(i)), (i, j)), shape=(n, n))
    return np.asarray(connected_components(graph, directed=False)[1], np.int64)


def connected(data: Comparisons, kind: Literal["weak", "strong"]) -> bool:
    """Are all items joined by comparisons (weak), or does everyone beat everyone through others (strong)?"""
    won, lost = data.answer > 0, data.answer < 1
    start = np.r_[data.i[won], data.j[lost]]
    end = np.r_[data.j[won], data.i[lost]]
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(data.n, data.n))
    parts, _ = connected_components(graph, directed=True, connection=kind)
    return int(parts) == 1


def rank_sets(
    theta: Floats, covariance: Floats, *, level: float = 0.95, df: float | None = None, seed: int = 0
) -> Ints:
    """(lowest, highest) rank that each item may have, all of them together at `level`: (item, 2).

    An item ranks below those that are stronger for certain and above those that are weaker; "for certain" is decided by
    the max-t quantile over all pairs.
    """
    n = len(theta)
    a, b = np.triu_indices(n, 1)
    variance = np.diag(covariance)
    se = np.sqrt(np.maximum(variance[a] + variance[b] - 2 * covariance[a, b], 0.0))
    draws = FEW_DRAWS if len(a) > MANY_PAIRS else None
    z = critical(largest_pair_z(covariance, a, b, df=df, draws=draws, seed=seed), level)
    reach = quantile(min(float(2 * ndtr(z) - 1), 1 - 1e-15), df) * se
    gap = theta[a] - theta[b]
    up, down = gap > reach, gap < -reach
    better = np.bincount(b[up], minlength=n) + np.bincount(a[down], minlength=n)
    worse = np.bincount(a[up], minlength=n) + np.bincount(b[down], minlength=n)
    return np.stack([1 + better, n - worse], axis=1)
