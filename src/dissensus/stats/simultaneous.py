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

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from dissensus.arrays import Floats, Ints
from dissensus.errors import InputError, Option, Text
from dissensus.stats.intervals import check_level, quantile
from dissensus.work.seeds import generator

CHUNK = 10_000  # draws at a time: memory stays at CHUNK × rank of the covariance
DRAWS = 20_000
WORK = 50_000_000  # pairs × draws beyond which there are fewer draws, never fewer than 5,000
ROOM = 4_000_000  # pairs × draws held at a time
MANY = 100_000_000  # pairs × draws for which compiled code is loaded
FEW = 30  # degrees of freedom below which spreads are drawn, too


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


def critical(draws: Floats, level: float) -> float:
    """The largest t that is not significant at `level`: `share_reaching` is below 1 − level exactly beyond it.

    >>> draws = np.arange(1.0, 100.0)
    >>> critical(draws, 0.95), float(share_reaching(draws, 96.0)), float(share_reaching(draws, 96.1))
    (96.0, 0.05, 0.04)
    """
    allowed = int(np.ceil(round((1 - level) * (len(draws) + 1), 9))) - 2  # draws that may reach a significant t
    return float(draws[len(draws) - 1 - allowed]) if 0 <= allowed < len(draws) else float("inf")


def largest_pair_z(
    covariance: Floats, a: Ints, b: Ints, *, df: float | None = None, draws: int | None = None, seed: int = 0
) -> Floats:
    """Draws of max |Z_ab| over pairs (a, b) of estimates, ascending; Z normal with the differences' correlation.

    A p-value of any test of a pair becomes z = Φ⁻¹(1 − p/2), and its adjusted p is the share of draws that reach z: a
    copula, every margin exact. (One multivariate t for all pairs divides them by one common χ², while each was divided
    by its own: with twelve systems on ten topics such families fail in 14 % of the cases instead of 5 %.) The
    correlation of the estimates, known from `df` degrees of freedom, is shrunk to its mean (Schäfer & Strimmer 2005):
    forty systems on ten topics have a covariance of rank nine, and without it fail in 24 %. Under 30 degrees of freedom
    each difference is divided by a spread drawn for it, S ~ Wishart(df); such families fail in 5 to 7 %. Pairs without
    variance are left out.
    """
    root = _root(shrunk(covariance, df))
    spread = _lengths(root, a, b)
    varies = spread > 1e-9 * max(float(spread.max(initial=0.0)), 1e-300)
    a, b, spread = a[varies], b[varies], spread[varies]
    if not len(a):
        return np.zeros(1)
    draws = max(min(DRAWS, WORK // len(a)), 5_000) if draws is None else draws
    if df is None or df >= FEW:
        size = max(ROOM // len(a), 1)  # blocks of draws have seeds of their own
        blocks = [
            root @ _drawn(root.shape[1], None, min(size, draws - start), seed, number)[0]
            for number, start in enumerate(range(0, draws, size))
        ]
        return np.sort(_largest_gaps(np.hstack(blocks), a, b, spread))
    whole = max(int(df), 1)
    size = max(min(draws, ROOM // (len(a) + len(root) ** 2)), 1)
    out = np.empty(draws)
    for number, start in enumerate(range(0, draws, size)):
        n = min(size, draws - start)
        normal, factor = _drawn(root.shape[1], whole, n, seed, number)
        assert factor is not None
        z = root @ normal
        out[start : start + n] = np.abs((z[a] - z[b]) / _drawn_spread(root @ factor, a, b)).max(axis=0)
    return np.sort(_as_normal(out, whole))


def _largest_gaps(z: Floats, a: Ints, b: Ints, spread: Floats) -> Floats:
    """The largest |z_a − z_b|/spread of each draw, pair by pair: all at once fill gigabytes."""
    if len(a) * z.shape[1] > MANY:
        from dissensus.engine.pair_gaps import largest_gaps  # loading numba takes longer than a small family

        return np.asarray(largest_gaps(np.ascontiguousarray(z), a, b, 1.0 / spread), np.float64)
    largest, gap = np.zeros(z.shape[1]), np.empty(z.shape[1])
    for one, other, scale in zip(a.tolist(), b.tolist(), (1.0 / spread).tolist(), strict=True):
        np.subtract(z[one], z[other], out=gap)
        np.abs(gap, out=gap)
        gap *= scale
        np.maximum(largest, gap, out=largest)
    return largest


def _lengths(root: Floats, a: Ints, b: Ints) -> Floats:
    """Lengths of the differences of rows a and b; the pairs of a thousand estimates would fill gigabytes at once."""
    size = max(ROOM // max(root.shape[1], 1), 1)
    parts = [slice(start, start + size) for start in range(0, len(a), size)]
    found = [np.sqrt(((root[a[p]] - root[b[p]]) ** 2).sum(axis=1)) for p in parts]
    return np.concatenate(found) if found else np.empty(0)


@lru_cache(maxsize=1)  # measures of one study ask for the same draws one after the other
def _drawn(rank: int, df: int | None, n: int, seed: int, number: int) -> tuple[Floats, Floats | None]:
    """(rank × n normal numbers, n factors of S ~ Wishart(df, 1)/df; none without `df`); by Bartlett where df allows."""
    rng = generator(seed, number)
    normal = rng.standard_normal((rank, n))
    if df is None:
        return normal, None
    if df < rank:
        return normal, rng.standard_normal((n, rank, df)) / np.sqrt(df)
    factor = rng.standard_normal((n, rank, rank))
    factor *= np.tri(rank, k=-1)
    factor[:, np.arange(rank), np.arange(rank)] = np.sqrt(rng.chisquare(df - np.arange(rank), (n, rank)))
    factor /= np.sqrt(df)
    return normal, factor


def _drawn_spread(rows: Floats, a: Ints, b: Ints) -> Floats:
    """√(S_aa + S_bb − 2S_ab), pairs × draws; S is rows·rowsᵀ of each draw."""
    gram = np.ascontiguousarray((rows @ rows.transpose(0, 2, 1)).transpose(1, 2, 0))
    diagonal = gram[np.arange(len(gram)), np.arange(len(gram))]
    return np.asarray(np.sqrt(np.maximum(diagonal[a] + diagonal[b] - 2 * gram[a, b], 1e-300)), np.float64)


def _as_normal(t: Floats, df: int) -> Floats:
    """The z with the same tail probability as t with `df` degrees of freedom."""
    from scipy.special import ndtri, stdtr

    return np.asarray(-ndtri(np.maximum(stdtr(df, -t), 1e-300)), np.float64)


def shrunk(covariance: Floats, df: float | None) -> Floats:
    """The covariance with its correlations moved towards their mean by λ = Σ Var(r_ij)/Σ(r_ij − r̄)², at most 1.

    Var(r) ≈ (1 − r²)²/df; a covariance that is known (no `df`, or an infinite one) stays as it is.

    >>> shrunk(np.array([[4.0, 1.0], [1.0, 1.0]]), 10).tolist()
    [[4.0, 1.0], [1.0, 1.0]]
    """
    matrix = (covariance + covariance.T) / 2
    n, sd = len(matrix), np.sqrt(np.maximum(np.diag(matrix), 0.0))
    varies = sd > 0
    if df is None or not np.isfinite(df) or df <= 0 or varies.sum() < 3:
        return np.asarray(matrix, np.float64)
    scale = np.outer(sd, sd)
    r = np.divide(matrix, scale, out=np.zeros_like(matrix), where=scale > 0)
    off = np.outer(varies, varies) & ~np.eye(n, dtype=bool)
    mean = float(r[off].mean())
    spread = float(((r[off] - mean) ** 2).sum())
    share = min(1.0, float(((1 - np.minimum(r[off] ** 2, 1)) ** 2).sum()) / df / spread) if spread > 0 else 1.0
    moved = np.where(off, (1 - share) * r + share * mean, r)
    return np.asarray(moved * scale, np.float64)


def _root(covariance: Floats) -> Floats:
    """A with A Aᵀ = covariance, as narrow as its rank; negative eigenvalues, which rounding brings, are cut."""
    value, vector = np.linalg.eigh(covariance)
    kept = value > 1e-12 * max(float(value.max(initial=0.0)), 1e-300)
    return np.asarray(vector[:, kept] * np.sqrt(value[kept]), np.float64)


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
