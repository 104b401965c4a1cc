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
from scipy.special import expit

from dissensus.errors import InputError
from dissensus.stats.simultaneous import max_t_quantile

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ROUNDS, TOLERANCE = 100, 1e-9


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


def fit(data: Comparisons, *, ties: str = "half", clustered: bool = True) -> Strengths:
    """Strengths of one connected set of items.

    `clustered`: topics are clusters and δ is estimated; else, for the items of one topic, the covariance is the model's
    and δ is 0.
    """
    _check(data, ties)
    shrunken = not connected(data, "strong")
    free = np.r_[np.ones(data.n, bool), clustered and _both_places_win(data), ties == "davidson" and _some_ties(data)]
    power = np.ones(len(data.i))
    x, rounds = maximise(data, np.zeros(data.n + 2), power, free, shrunken)
    _, hessian, scores = _derivatives(data, x, power, bool(free[-1]), shrunken)
    inverse = np.zeros_like(hessian)
    inverse[np.ix_(free, free)] = np.linalg.pinv(hessian[np.ix_(free, free)], rcond=1e-10, hermitian=True)
    clusters = np.unique(data.cluster)
    covariance, number = inverse, 0
    if clustered and len(clusters) > 1:
        number = len(clusters)
        sums = np.zeros((number, len(x)))
        np.add.at(sums, np.searchsorted(clusters, data.cluster), scores)
        covariance = inverse @ (sums.T @ sums) @ inverse * number / (number - 1)
    theta = x[: data.n] - x[: data.n].mean()
    nu = float(np.exp(x[-1])) if free[-1] else 0.0
    own = covariance[: data.n, : data.n]
    return Strengths(theta, own, float(x[data.n]), nu, rounds, rounds < ROUNDS, shrunken, number)


def _both_places_win(data: Comparisons) -> bool:
    """Did the first place win and lose, whichever item of a pair had it? Else δ may have no finite estimate."""
    won = {(int(s), float(y)) for s, y in zip(data.shown, data.answer, strict=True) if s and y != 0.5}
    return won == {(1, 1.0), (1, 0.0), (-1, 1.0), (-1, 0.0)}


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
    data: Comparisons, start: Floats, power: Floats, free: NDArray[np.bool_], shrunken: bool, most: int = ROUNDS
) -> tuple[Floats, int]:
    """(θ, δ, ln ν at the maximum, rounds used); `power` multiplies θ_i − θ_j of each answer, only `free` ones move."""
    x, n, rounds = start.copy(), data.n, 0
    longest = np.inf
    while longest >= TOLERANCE and rounds < most:
        rounds += 1
        if free[-1]:
            gradient, hessian, _ = _derivatives(data, x, power, True, shrunken)
        else:
            gradient, hessian = _halves(data, x, power, shrunken)
        if not shrunken:
            hessian[:n, :n] += 1.0 / n  # the mean of θ is free: fixed at 0
        step = np.zeros_like(x)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        longest = float(np.abs(step).max(initial=0.0))
        x += step * min(1.0, 2.0 / longest) if longest > 0 else 0.0
    return x, rounds


def _derivatives(
    data: Comparisons, x: Floats, power: Floats, davidson: bool, shrunken: bool
) -> tuple[Floats, Floats, Floats]:
    """(gradient, minus Hessian, gradient of every answer) of the log-likelihood in θ, δ, ln ν."""
    n, rows = data.n, np.arange(len(data.i))
    gap = power * (x[data.i] - x[data.j]) + x[n] * data.shown
    jacobian = np.zeros((len(rows), n + 2))  # of (gap, ln ν) packed: gap in columns … n, ln ν in n + 1
    jacobian[rows, data.i] = power
    jacobian[rows, data.j] = -power
    jacobian[:, n] = data.shown
    if davidson:
        win, same, lose = np.exp(gap / 2), np.full(len(gap), np.exp(x[n + 1])), np.exp(-gap / 2)
        total = win + same + lose
        p, q = win / total, same / total
        won, tied = (data.answer == 1).astype(float), (data.answer == 0.5).astype(float)
        lost = 1 - won - tied
        by_gap = ((won - lost) - (p - (1 - p - q))) / 2
        by_nu = tied - q
        mean = (p - (1 - p - q)) / 2
        var_gap, var_nu, cross = (1 - q) / 4 - mean**2, q * (1 - q), -mean * q
        scores = jacobian * by_gap[:, None]
        scores[:, n + 1] = by_nu
        hessian = (jacobian * var_gap[:, None]).T @ jacobian
        hessian[n + 1, n + 1] = var_nu.sum()
        mixed = jacobian.T @ cross
        hessian[: n + 1, n + 1] = mixed[: n + 1]
        hessian[n + 1, : n + 1] = mixed[: n + 1]
    else:
        p = expit(gap)
        scores = jacobian * (data.answer - p)[:, None]
        hessian = (jacobian * (p * (1 - p))[:, None]).T @ jacobian
    gradient = scores.sum(axis=0)
    if shrunken:  # one answer against an average item, half won and half lost
        q = expit(x[:n])
        gradient[:n] += 0.5 - q
        hessian[np.arange(n), np.arange(n)] += q * (1 - q)
    return gradient, hessian, scores


def _halves(data: Comparisons, x: Floats, power: Floats, shrunken: bool) -> tuple[Floats, Floats]:
    """(gradient, minus Hessian) in θ and δ where ties are halves: sums over pairs, without a matrix of answers."""
    n = data.n
    p = expit(power * (x[data.i] - x[data.j]) + x[n] * data.shown)
    slope, bend = power * (data.answer - p), power**2 * p * (1 - p)
    gradient, hessian = np.zeros(n + 2), np.zeros((n + 2, n + 2))
    gradient[:n] = np.bincount(data.i, slope, n) - np.bincount(data.j, slope, n)
    gradient[n] = float((data.shown * (data.answer - p)).sum())
    between = np.bincount(data.i * n + data.j, bend, n * n).reshape(n, n)
    between = between + between.T
    hessian[:n, :n] = np.diag(between.sum(axis=1)) - between
    mixed = power * p * (1 - p) * data.shown
    hessian[:n, n] = hessian[n, :n] = np.bincount(data.i, mixed, n) - np.bincount(data.j, mixed, n)
    hessian[n, n] = float((p * (1 - p) * data.shown**2).sum())
    if shrunken:
        q = expit(x[:n])
        gradient[:n] += 0.5 - q
        hessian[np.arange(n), np.arange(n)] += q * (1 - q)
    return gradient, hessian


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
    contrast = np.zeros((len(a), n))
    contrast[np.arange(len(a)), a], contrast[np.arange(len(a)), b] = 1.0, -1.0
    between = contrast @ covariance @ contrast.T
    se = np.sqrt(np.maximum(np.diag(between), 0.0))
    reach = max_t_quantile(between, level=level, df=df, seed=seed) * se
    gap = theta[a] - theta[b]
    better, worse = np.zeros(n, np.int64), np.zeros(n, np.int64)
    np.add.at(better, b, gap > reach)
    np.add.at(better, a, gap < -reach)
    np.add.at(worse, a, gap > reach)
    np.add.at(worse, b, gap < -reach)
    return np.stack([1 + better, n - worse], axis=1)
