"""Two-sample tests on per-topic scores: each gives the difference, its standard error, an interval and a p-value.

Paired tests take all pairs of systems at once: `x` is systems × topics, pair k is (a[k], b[k]). Signs and resamples are
drawn once and used for every pair, one matrix product per test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.comparison.power import margin
from dissensus.stats.intervals import quantile, two_sided_p
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
ALL_SIGNS_UP_TO = 13  # topics: 8,192 sign patterns
CHUNK = 2000
PAIRS = 64  # tested together


@dataclass(frozen=True)
class PairTest:
    """One pair's test; `effect` is the difference in standard deviations of per-topic differences (or pooled)."""

    difference: float
    se: float
    low: float
    high: float
    p: float
    effect: float
    n: int
    detectable: float = math.nan


def _all_equal(mean: float, n: int) -> PairTest:
    """Every topic says the same: a certain difference, or none."""
    return PairTest(
        mean, 0.0, mean, mean, float(mean == 0), math.nan if mean == 0 else math.copysign(math.inf, mean), n
    )


def paired_t(x: Floats, a: Ints, b: Ints, level: float, replicates: int, seed: int) -> list[PairTest]:
    """Student's t on per-topic differences."""
    out = []
    for d in x[a] - x[b]:
        n, mean, sd = len(d), float(d.mean()), float(d.std(ddof=1))
        if sd < 1e-12:
            out.append(_all_equal(mean, n))
            continue
        se = sd / math.sqrt(n)
        half = quantile(level, n - 1) * se
        out.append(
            PairTest(
                mean,
                se,
                mean - half,
                mean + half,
                two_sided_p(mean / se, n - 1),
                mean / sd,
                n,
                se * margin(n - 1, level),
            )
        )
    return out


def welch(x: Floats, y: Floats, level: float) -> PairTest:
    """Welch's t for systems measured on different topics (eq. 9 of the correction paper)."""
    x, y = x[np.isfinite(x)], y[np.isfinite(y)]
    if min(len(x), len(y)) < 2:
        return PairTest(math.nan, math.nan, math.nan, math.nan, math.nan, math.nan, min(len(x), len(y)))
    difference = float(x.mean() - y.mean())
    vx, vy = float(x.var(ddof=1)) / len(x), float(y.var(ddof=1)) / len(y)
    if vx + vy < 1e-24:
        return _all_equal(difference, min(len(x), len(y)))
    se = math.sqrt(vx + vy)
    df = (vx + vy) ** 2 / (vx**2 / (len(x) - 1) + vy**2 / (len(y) - 1))
    half = quantile(level, df) * se
    pooled = math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2)
    return PairTest(
        difference,
        se,
        difference - half,
        difference + half,
        two_sided_p(difference / se, df),
        difference / pooled,
        min(len(x), len(y)),
        se * margin(df, level),
    )


def randomization(x: Floats, a: Ints, b: Ints, level: float, replicates: int, seed: int) -> list[PairTest]:
    """Sign flips of per-topic differences; all of them up to 13 topics, else `replicates` random ones.

    p = (k + 1)/(n + 1), k flips whose mean reaches the observed one. The interval holds every shift that the same flips
    do not reject: |mean(s·(d − δ))| against |mean(d − δ)|.
    """
    d = (x[a] - x[b]).T
    n, pairs = d.shape
    shared = {"d": d, "flips": _signs(n, replicates, seed), "level": level}
    blocks = run_units(flip_pairs, range(0, pairs, PAIRS), shared=shared, progress="pairs", threads=True)
    return [PairTest(*row) for block in blocks for row in block]


def flip_pairs(unit: int, d: Floats, flips: Floats, level: float) -> list[tuple[float, ...]]:
    """The tests of the pairs from number `unit` on."""
    block = d[:, unit : unit + PAIRS]
    moved, centre = flips @ block / len(d), flips.mean(axis=1)
    return [astuple(_flipped(block[:, k], moved[:, k], centre, level)) for k in range(block.shape[1])]


def _signs(n: int, replicates: int, seed: int) -> Floats:
    """Sign patterns, without the one that changes nothing: that one is the data."""
    if n <= ALL_SIGNS_UP_TO:
        bits = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
        return np.asarray(1.0 - 2.0 * bits, np.float64)
    return generator(seed).choice(np.array([-1.0, 1.0]), (replicates, n))


def _flipped(d: Floats, moved: Floats, centre: Floats, level: float) -> PairTest:
    n, mean, sd = len(d), float(d.mean()), float(d.std(ddof=1))
    if sd < 1e-12 and mean == 0:
        return _all_equal(mean, n)
    reached = np.count_nonzero(np.abs(moved) >= abs(mean) - 1e-12)
    low, high = (mean + side * _farthest(moved - mean * centre, side * centre, level) for side in (-1.0, 1.0))
    effect = mean / sd if sd > 1e-12 else math.copysign(math.inf, mean)
    se = sd / math.sqrt(n)
    return PairTest(
        mean, se, low, high, (reached + 1) / (len(moved) + 1), effect, n, se * margin(n - 1, level)
    )  # fmt: skip


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


def resampled_t(unit: int, rng: np.random.Generator, d: Floats) -> Floats:
    """t* of `unit` resamples of the topics, for every pair."""
    n = len(d)
    weight = rng.multinomial(n, np.full(n, 1 / n), unit).astype(np.float64)
    means = weight @ d / n
    spread = np.maximum(weight @ d**2 / n - means**2, 0.0) * n / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((means - d.mean(axis=0)) / np.sqrt(spread / n), np.float64)


def bootstrap(x: Floats, a: Ints, b: Ints, level: float, replicates: int, seed: int) -> list[PairTest]:
    """Studentised bootstrap over topics: t* of resamples in place of Student's distribution."""
    d = (x[a] - x[b]).T
    n = len(d)
    mean, sd = d.mean(axis=0), d.std(axis=0, ddof=1)
    sizes = [min(CHUNK, replicates - start) for start in range(0, replicates, CHUNK)]
    drawn_t = run_units(resampled_t, sizes, shared={"d": d}, seed=seed, progress="resamples", threads=True)
    t = np.concatenate(drawn_t)
    out = []
    for k in range(d.shape[1]):
        if sd[k] < 1e-12:
            out.append(_all_equal(float(mean[k]), n))
            continue
        se = float(sd[k]) / math.sqrt(n)
        drawn = t[np.isfinite(t[:, k]), k]
        low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
        p = (np.count_nonzero(np.abs(drawn) >= abs(mean[k]) / se) + 1) / (len(drawn) + 1)
        m = float(mean[k])
        out.append(
            PairTest(
                m,
                se,
                m - float(high) * se,
                m - float(low) * se,
                float(p),
                m / float(sd[k]),
                n,
                se * margin(n - 1, level),
            )
        )
    return out


def wilcoxon(x: Floats, a: Ints, b: Ints, level: float, replicates: int, seed: int) -> list[PairTest]:
    """Wilcoxon's signed ranks; the interval is that of the median of pairwise means (Hodges & Lehmann).

    It tests symmetry about 0, not a mean of 0: with skewed differences it answers another question than the others.
    """
    from scipy.stats import wilcoxon as signed_ranks

    out = []
    for d in x[a] - x[b]:
        n, mean, sd = len(d), float(d.mean()), float(d.std(ddof=1))
        if not np.any(np.abs(d) > 1e-12):
            out.append(_all_equal(0.0, n))
            continue
        tied = len(np.unique(np.abs(d[d != 0]))) < np.count_nonzero(d) or np.any(d == 0)
        p = float(signed_ranks(d, method="approx" if tied or n > 50 else "exact").pvalue)
        i, j = np.triu_indices(n)
        walsh = np.sort((d[i] + d[j]) / 2)
        total = n * (n + 1) / 2
        spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        k = max(int(total / 2 - quantile(level, math.inf) * spread), 0)
        effect = mean / sd if sd > 1e-12 else math.copysign(math.inf, mean)
        out.append(PairTest(mean, sd / math.sqrt(n), float(walsh[k]), float(walsh[-1 - k]), p, effect, n))
    return out


def tukey(x: Floats, a: Ints, b: Ints, level: float, replicates: int, seed: int) -> list[PairTest]:
    """Paired randomised Tukey HSD: topics are blocks; p and intervals hold for all pairs of the measure together."""
    from dissensus.stats.multiplicity import randomized_tukey

    made = randomized_tukey(x.T, replicates=replicates, seed=seed)
    half = made.critical(level)
    out = []
    for i, j, d in zip(a.tolist(), b.tolist(), x[a] - x[b], strict=True):
        mean, sd = float(made.difference[i, j]), float(d.std(ddof=1))
        effect = mean / sd if sd > 1e-12 else math.nan
        out.append(
            PairTest(mean, sd / math.sqrt(len(d)), mean - half, mean + half, float(made.p_value[i, j]), effect, len(d))
        )
    return out


PAIRED: dict[str, Callable[[Floats, Ints, Ints, float, int, int], list[PairTest]]] = {
    "t": paired_t,
    "randomization": randomization,
    "bootstrap": bootstrap,
    "wilcoxon": wilcoxon,
    "tukey": tukey,
}
