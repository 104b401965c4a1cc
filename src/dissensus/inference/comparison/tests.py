"""Tests on per-topic scores, all pairs of systems at once: each gives a `Family` of the engine.

`x` is systems × topics, pair k is (a[k], b[k]), `.difference` is a − b. Signs and resamples are drawn once and used for
every pair. `randomization`, `bootstrap` and `tukey` draw all pairs jointly, so their simultaneous p-values and
intervals (`together`) come from the draws themselves; the others are adjusted by the engine. With `joint=True` only
these are wanted, and p-values of single pairs are not drawn (t's stand in).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.comparison.engine import Family, t_ends, t_pairs
from dissensus.stats.intervals import quantile
from dissensus.stats.multiplicity import randomized_tukey
from dissensus.stats.simultaneous import critical, share_reaching
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes, generator

Pairs = tuple[Ints, Ints]
ALL_SIGNS_UP_TO = 13  # topics: 8,192 sign patterns
CHUNK = 2000
PAIRS = 64  # tested together
ALIKE = 0.01  # a difference varies less than this share of a score: its variance would lose digits
ROOM = 4_000_000  # pairs × topics looked at together
FLAT = 1e-12  # a standard deviation that is rounding


def paired_t(measure: str, x: Floats, pairs: Pairs, replicates: int = 0, seed: int = 0, joint: bool = True) -> Family:
    """Student's t on per-topic differences."""
    n = x.shape[1]
    covariance = np.atleast_2d(np.cov(x))
    sd = _deviations(x, covariance, pairs)
    family = t_pairs(measure, x.mean(axis=1), covariance / n, n - 1.0, pairs=pairs, se=sd / math.sqrt(n))
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = family.difference / sd
    return replace(family, effect=effect, topics=np.full(len(sd), n))


def _deviations(x: Floats, covariance: Floats, pairs: Pairs) -> Floats:
    """The standard deviation of every difference: √(C_aa + C_bb − 2C_ab), without an array of pairs × topics.

    Where two systems go up and down together, rounding would show in it. Their topics are looked at.
    """
    a, b = pairs
    variance = covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
    alike = np.flatnonzero(~(variance > ALIKE * np.maximum(covariance[a, a], covariance[b, b])))
    step = max(ROOM // x.shape[1], 1)
    for first in range(0, len(alike), step):
        some = alike[first : first + step]
        variance[some] = (x[a[some]] - x[b[some]]).var(axis=1, ddof=1)
    sd = np.sqrt(variance)
    sd[sd < FLAT] = 0.0
    return np.asarray(sd, np.float64)


def welch(measure: str, x: Floats, pairs: Pairs, replicates: int = 0, seed: int = 0, joint: bool = True) -> Family:
    """Welch's t for systems measured on different topics (eq. 9 of the correction paper); NaN is "not measured"."""
    a, b = pairs
    n = np.isfinite(x).sum(axis=1)
    enough = n >= 2
    filled = np.where(np.isfinite(x), x, 0.0)
    mean = np.divide(filled.sum(axis=1), n, out=np.full(len(n), np.nan), where=enough)
    off = np.where(np.isfinite(x), x - mean[:, None], 0.0)
    variance = np.divide((off**2).sum(axis=1), n - 1, out=np.full(len(n), np.nan), where=enough)
    variance[variance < FLAT**2] = 0.0
    v = variance / np.maximum(n, 1)
    total = v[a] + v[b]
    below = v[a] ** 2 / np.maximum(n[a] - 1, 1) + v[b] ** 2 / np.maximum(n[b] - 1, 1)
    fewest = np.minimum(n[a], n[b])
    df = np.divide(total**2, below, out=np.maximum(fewest - 1.0, 1.0), where=below > 0)
    family = t_pairs(
        measure, mean, np.diag(v), df, pairs=pairs, se=np.sqrt(total), covariance_df=math.inf
    )  # independent samples: nothing about their correlation is estimated
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = family.difference / np.sqrt((variance[a] + variance[b]) / 2)
    return replace(family, effect=effect, topics=fewest)


# ── sign flips ───────────────────────────────────────────────────────────────────────────────────────────────────────
def randomization(measure: str, x: Floats, pairs: Pairs, replicates: int, seed: int, joint: bool = False) -> Family:
    """Sign flips of per-topic differences; all of them up to 13 topics, else `replicates` random ones.

    p = (k + 1)/(n + 1), k flips whose mean reaches the observed one; the interval holds every shift that the same flips
    do not reject. Together: the largest |mean(s·d)|/√Σd² over pairs, and the shifts that its critical value rejects.
    """
    plain = paired_t(measure, x, pairs)
    d = (x[pairs[0]] - x[pairs[1]]).T
    flips = _signs(len(d), replicates, seed)

    def blocks(level: float) -> NDArray[np.float64]:
        shared = {"d": d, "flips": flips, "level": level}
        starts = range(0, d.shape[1], PAIRS)
        return np.concatenate(run_units(flip_pairs, starts, shared=shared, progress="pairs", threads=True))

    def interval(level: float) -> tuple[Floats, Floats]:
        ends = blocks(level)
        return ends[:, 1], ends[:, 2]

    def together(level: float) -> tuple[Floats, Floats, Floats]:
        return flip_together(x, pairs, flips, level)

    p = plain.p if joint else blocks(0.95)[:, 0]
    return replace(plain, p=p, interval=interval, together=together)


def flip_pairs(unit: int, d: Floats, flips: Floats, level: float) -> Floats:
    """p, low, high of the pairs from number `unit` on, one row each."""
    block = d[:, unit : unit + PAIRS]
    moved, centre = flips @ block / len(d), flips.mean(axis=1)
    return np.array([_flipped(block[:, k], moved[:, k], centre, level) for k in range(block.shape[1])])


def flip_together(x: Floats, pairs: Pairs, flips: Floats, level: float) -> tuple[Floats, Floats, Floats]:
    """p, low, high of all pairs together.

    Under a shift δ a pair's statistic is |m − δ|/√(Σ(d − δ)²), m the mean of n differences d: it passes the critical
    value c while (m − δ)²(1 − c²n) > c²·Σ(d − m)².
    """
    a, b = pairs
    d = x[a] - x[b]
    n, mean = d.shape[1], d.mean(axis=1)
    root = np.sqrt((d**2).sum(axis=1))
    known = root > FLAT
    moved = flips @ x.T / n
    largest = np.zeros(len(flips))
    for k in np.flatnonzero(known):
        np.maximum(largest, np.abs(moved[:, a[k]] - moved[:, b[k]]) / root[k], out=largest)
    largest = np.sort(largest) * (1 - 1e-12)  # a flip that gives the data again must count as reaching them
    statistic = np.divide(np.abs(mean), root, out=np.zeros_like(mean), where=known)
    p = np.where(known, share_reaching(largest, statistic * (1 - 2e-12)), 1.0)
    c = critical(largest, level)
    room = 1 - c**2 * n
    rest = np.sqrt(((d - mean[:, None]) ** 2).sum(axis=1))
    half = np.where(known, c * rest / math.sqrt(room) if room > 1e-9 else np.inf, 0.0)
    return p, mean - half, mean + half


def _signs(n: int, replicates: int, seed: int) -> Floats:
    """Sign patterns, without the one that changes nothing: that one is the data."""
    if n <= ALL_SIGNS_UP_TO:
        bits = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
        return np.asarray(1.0 - 2.0 * bits, np.float64)
    return generator(seed).choice(np.array([-1.0, 1.0]), (replicates, n))


def _flipped(d: Floats, moved: Floats, centre: Floats, level: float) -> tuple[float, float, float]:
    """(p, low, high) of one pair."""
    mean = float(d.mean())
    if float(d.std(ddof=1)) < FLAT and mean == 0:
        return 1.0, 0.0, 0.0
    reached = np.count_nonzero(np.abs(moved) >= abs(mean) - 1e-12)
    low, high = (mean + side * _farthest(moved - mean * centre, side * centre, level) for side in (-1.0, 1.0))
    return (reached + 1) / (len(moved) + 1), low, high


def _farthest(a: Floats, c: Floats, level: float) -> float:
    """How far from the mean a shift t may lie without being rejected.

    A flip reaches the data shifted by t if |a − tc| ≥ t, with |c| ≤ 1: for all t up to |a|/(1 + sign(a)·c), and for all
    t if it turns every topic round or none. The shift is kept while more than a share 1 − level of the flips, the data
    among them, reach it: up to the k-th largest of these limits, k the least number above (1 − level)(B + 1) − 1.
    """
    room = 1 + np.sign(a) * c
    limit = np.divide(np.abs(a), room, out=np.full(len(a), np.inf), where=(room > 1e-12) & (np.abs(c) < 1 - 1e-12))
    k = max(math.floor((1 - level) * (len(a) + 1) - 1 + 1e-9) + 1, 1)
    return float(np.partition(limit, len(a) - k)[len(a) - k]) if k <= len(a) else 0.0


# ── resamples ────────────────────────────────────────────────────────────────────────────────────────────────────────
def resampled_t(unit: int, rng: np.random.Generator, d: Floats, largest: bool) -> Floats:
    """|t*| of `unit` resamples of the topics, for every pair, or the largest over pairs."""
    n = len(d)
    weight = rng.multinomial(n, np.full(n, 1 / n), unit).astype(np.float64)
    means = weight @ d / n
    spread = np.maximum(weight @ d**2 / n - means**2, 0.0) * n / (n - 1)
    flat = spread < FLAT**2
    t = np.abs(means - d.mean(axis=0)) / np.sqrt(np.where(flat, 1.0, spread) / n)
    t[flat] = np.inf  # a resample without spread bounds nothing
    return np.asarray(t.max(axis=1) if largest else t, np.float64)


def bootstrap(measure: str, x: Floats, pairs: Pairs, replicates: int, seed: int, joint: bool = False) -> Family:
    """Studentised bootstrap over topics: |t*| of resamples in place of Student's distribution; symmetric intervals."""
    plain = paired_t(measure, x, pairs)
    varies = plain.se > 0
    d = (x[pairs[0]] - x[pairs[1]]).T[:, varies]
    sizes = block_sizes(replicates, CHUNK)
    t = np.abs(plain.difference[varies] / plain.se[varies])

    def drawn(*, largest: bool) -> Floats:
        shared = {"d": d, "largest": largest}
        return np.concatenate(
            run_units(resampled_t, sizes, shared=shared, seed=seed, progress="resamples", threads=True)
        )

    def ends(limit: Floats | float, level: float) -> tuple[Floats, Floats]:
        low, high = t_ends(plain.difference, plain.se, plain.df, plain.p, level)
        half = limit * plain.se[varies]
        low[varies], high[varies] = plain.difference[varies] - half, plain.difference[varies] + half
        return low, high

    def together(level: float) -> tuple[Floats, Floats, Floats]:
        p = plain.p.copy()
        if not varies.any():
            return p, *ends(0.0, level)
        largest = np.sort(drawn(largest=True))
        p[varies] = share_reaching(largest, t)
        return p, *ends(critical(largest, level), level)

    if joint or not varies.any():
        return replace(plain, together=together)
    draws = np.sort(drawn(largest=False), axis=0)
    p = plain.p.copy()
    p[varies] = [float(share_reaching(draws[:, k], t[k])) for k in range(len(t))]

    def interval(level: float) -> tuple[Floats, Floats]:
        return ends(np.array([critical(draws[:, k], level) for k in range(len(t))]), level)

    return replace(plain, p=p, interval=interval, together=together)


# ── ranks, ranges ────────────────────────────────────────────────────────────────────────────────────────────────────
def wilcoxon(measure: str, x: Floats, pairs: Pairs, replicates: int = 0, seed: int = 0, joint: bool = True) -> Family:
    """Wilcoxon's signed ranks; the interval is that of the median of pairwise means (Hodges & Lehmann).

    It tests symmetry about 0, not a mean of 0: with skewed differences it answers another question than the others.
    """
    from scipy.stats import wilcoxon as signed_ranks

    plain = paired_t(measure, x, pairs)
    gaps = x[pairs[0]] - x[pairs[1]]
    n = gaps.shape[1]
    i, j = np.triu_indices(n)
    p = plain.p.copy()
    for k, d in enumerate(gaps):
        if not np.any(np.abs(d) > FLAT):
            continue
        tied = len(np.unique(np.abs(d[d != 0]))) < np.count_nonzero(d) or np.any(d == 0)
        p[k] = float(signed_ranks(d, method="approx" if tied or n > 50 else "exact").pvalue)

    def interval(level: float) -> tuple[Floats, Floats]:
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        place = max(int(n * (n + 1) / 4 - quantile(level, math.inf) * spread), 0)
        walsh = np.sort((gaps[:, i] + gaps[:, j]) / 2, axis=1)
        return walsh[:, place], walsh[:, -1 - place]

    return replace(plain, p=p, interval=interval)


def tukey(measure: str, x: Floats, pairs: Pairs, replicates: int, seed: int, joint: bool = False) -> Family:
    """Paired randomised Tukey HSD: topics are blocks; p and intervals hold for all pairs of the measure together."""
    plain = paired_t(measure, x, pairs)
    ranges = randomized_tukey(x.T, replicates=replicates, seed=seed)
    p = np.where(plain.difference == 0, 1.0, ranges.p_value[pairs])

    def interval(level: float) -> tuple[Floats, Floats]:
        half = np.where((plain.se == 0) & (plain.difference == 0), 0.0, ranges.critical(level))
        return plain.difference - half, plain.difference + half

    def together(level: float) -> tuple[Floats, Floats, Floats]:
        return p, *interval(level)

    return replace(plain, p=p, interval=interval, together=together)


Test = Callable[[str, Floats, Pairs, int, int, bool], Family]
TESTS: dict[str, Test] = {
    "t": paired_t,
    "welch": welch,
    "randomization": randomization,
    "bootstrap": bootstrap,
    "wilcoxon": wilcoxon,
    "tukey": tukey,
}
