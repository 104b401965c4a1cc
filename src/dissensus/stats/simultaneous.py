"""Many intervals that hold together: the quantile of the largest of many correlated t statistics.

With the joint covariance of the estimates known, no pair is punished for being one of many more than it must be:
highly correlated comparisons cost little (max-T; Westfall & Young 1993).

    >>> round(max_t_quantile(np.eye(1)), 3)
    1.96
    >>> correlated = np.full((10, 10), 0.9) + 0.1 * np.eye(10)
    >>> max_t_quantile(correlated, seed=0) < max_t_quantile(np.eye(10), seed=0) < 2.81  # Bonferroni's
    True

Drawn by seeded simulation (the error of the quantile is about 0.006 with the default 100,000 draws).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.stats.intervals import check_level, quantile
from dissensus.work.seeds import generator

Floats = NDArray[np.float64]
CHUNK = 10_000  # draws at a time: memory stays at CHUNK × rank of the covariance


def max_t_quantile(
    covariance: ArrayLike, *, level: float = 0.95, df: float | None = None, draws: int = 100_000, seed: int = 0
) -> float:
    """q with P(max_i |T_i| ≤ q) = level, T with the correlation of `covariance`, multivariate normal or t.

    Estimates without variance are left out: they are known.
    """
    root = _root_of_correlation(covariance)
    if len(root) <= 1:
        return quantile(level, df)
    return float(np.quantile(largest_t(root, df, draws, seed), check_level(level)))


def max_t_p_values(
    statistics: ArrayLike, covariance: ArrayLike, *, df: float | None = None, draws: int = 100_000, seed: int = 0
) -> Floats:
    """Adjusted p of each statistic: (1 + draws whose largest |T| reaches it) / (1 + draws)."""
    return share_reaching(largest_t(_root_of_correlation(covariance), df, draws, seed), statistics)


def share_reaching(largest: Floats, statistics: ArrayLike) -> Floats:
    """Adjusted p of each statistic from draws of the largest |T| in ascending order; never 0: (k + 1)/(n + 1)."""
    t = np.abs(np.asarray(statistics, np.float64))
    reached = len(largest) - np.searchsorted(largest, t, side="left")
    return np.asarray((reached + 1) / (len(largest) + 1), np.float64)


def largest_t(root: Floats, df: float | None, draws: int, seed: int) -> Floats:
    """Draws of max_i |T_i| in ascending order, T with the correlation A Aᵀ of `root` A (rows of length 1).

    For thousands of pairs of systems the rows of A are differences of systems' rows; the pairs' covariance itself would
    not fit into memory.
    """
    if draws < 100:
        raise InputError(Text(Option("draws", draws), ": a quantile needs hundreds of draws at least."))
    out = np.empty(draws)
    for number, start in enumerate(range(0, draws, CHUNK)):
        rng = generator(seed, number)
        size = min(CHUNK, draws - start)
        normal = rng.standard_normal((size, root.shape[1]))
        largest = np.zeros(size)
        for first in range(0, len(root), 256):  # thousands of pairs of systems share a handful of dimensions
            np.maximum(largest, np.abs(normal @ root[first : first + 256].T).max(axis=1), out=largest)
        if df is not None and np.isfinite(df):
            largest /= np.sqrt(rng.chisquare(df, size) / df)
        out[start : start + size] = largest
    return np.sort(out)


def _root_of_correlation(covariance: ArrayLike) -> Floats:
    """A with A Aᵀ = the correlation matrix, as narrow as its rank (differences of systems are linearly dependent)."""
    matrix = np.asarray(covariance, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.isfinite(matrix).all():
        raise InputError(f"covariance of shape {matrix.shape}: a square matrix of finite numbers is needed.")
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-14):
        raise InputError("covariance is not symmetric.")
    variance = np.diag(matrix)
    if (variance < 0).any():
        raise InputError("covariance has a negative variance on its diagonal.")
    known = variance > 0
    sd = np.sqrt(variance[known])
    values, vectors = np.linalg.eigh(matrix[np.ix_(known, known)] / np.outer(sd, sd))
    if len(values) and values.min() < -1e-8 * max(values.max(), 1.0):
        raise InputError("covariance is not positive semidefinite.")
    kept = values > 1e-12 * max(values.max(initial=0.0), 1.0)
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))
