"""Bootstrap of a corrected difference: topics and calibration documents resampled together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.estimate import Estimate
from dissensus.inference.matrix import Calibration, Documents
from dissensus.inference.weights import Floats
from dissensus.work.executor import run_units
from dissensus.work.seeds import generator

REPLICATES = 2000
BLOCK = 100  # resamples with a generator of their own


def bootstrap_difference(
    estimate: Estimate, a: int, b: int, level: float, seed: int, replicates: int = REPLICATES
) -> tuple[tuple[float, float], float]:
    """(interval, p) of θ_a − θ_b.

    Rectified and per-topic scores: topics are resampled, studentised (a percentile interval is too short with few
    topics). Confusion matrix: topics and calibration are resampled, percentiles taken, because the ratio is skewed.
    """
    if estimate.solved is not None and estimate.by_label is not None:
        draws = _matrix_draws(estimate, a, b, seed, replicates)
        draws = draws[np.isfinite(draws)]
        low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
        below = (np.count_nonzero(draws <= 0) + 1) / (len(draws) + 1)
        return (float(low), float(high)), float(min(1.0, 2 * min(below, 1 - below + 2 / (len(draws) + 1))))
    gap = estimate.scores[a] - estimate.scores[b]
    gap = gap[np.isfinite(gap)]
    return _studentised(gap, float(estimate.theta[a] - estimate.theta[b]), level, generator(seed), replicates)


def _studentised(
    gap: Floats, centre: float, level: float, rng: np.random.Generator, replicates: int
) -> tuple[tuple[float, float], float]:
    n = len(gap)
    if n < 2:
        return (-math.inf, math.inf), 1.0
    se = float(gap.std(ddof=1)) / math.sqrt(n)
    if se == 0:
        return (centre, centre), float(centre == 0)
    sample = gap[rng.integers(0, n, (replicates, n))]
    spread = sample.std(axis=1, ddof=1) / math.sqrt(n)
    keep = spread > 0
    t = (sample.mean(axis=1)[keep] - gap.mean()) / spread[keep]
    low, high = np.quantile(t, [(1 - level) / 2, (1 + level) / 2])
    p = (np.count_nonzero(np.abs(t) >= abs(centre) / se) + 1) / (len(t) + 1)
    return (centre - float(high) * se, centre - float(low) * se), float(p)


def _matrix_draws(estimate: Estimate, a: int, b: int, seed: int, replicates: int) -> Floats:
    """θ_a − θ_b under resampled topics and a resampled confusion matrix; NaN where a resample has no answer."""
    assert estimate.solved is not None
    assert estimate.by_label is not None
    calibration = estimate.solved.calibration
    shared = {
        "gap": estimate.by_label[a] - estimate.by_label[b],  # topics × labels
        "values": estimate.solved.values,
        "calibration": calibration,
        "used": np.flatnonzero(np.nan_to_num(calibration.matrix).sum(axis=0) > 0),
    }
    sizes = [min(BLOCK, replicates - start) for start in range(0, replicates, BLOCK)]
    return np.concatenate(run_units(matrix_draws, sizes, shared=shared, seed=seed, progress="resamples"))


def matrix_draws(
    unit: int, rng: np.random.Generator, gap: Floats, values: Floats, calibration: Calibration, used: NDArray[np.int64]
) -> Floats:
    """`unit` resamples."""
    n = len(gap)
    out = np.full(unit, np.nan)
    for r in range(unit):
        mean = gap[rng.integers(0, n, n)].mean(axis=0)[used]
        matrix = _resampled(calibration, rng)[:, used]
        if np.isfinite(matrix).all() and np.linalg.matrix_rank(matrix) == len(matrix):
            out[r] = float(mean @ np.linalg.lstsq(matrix, values, rcond=None)[0])
    return out


def _resampled(calibration: Calibration, rng: np.random.Generator) -> Floats:
    d = calibration.documents
    if d is not None:
        topics = np.unique(d.topic)
        if len(topics) > 1:  # documents of one topic go together
            times = np.bincount(rng.integers(0, len(topics), len(topics)), minlength=len(topics))
            factor = times[np.searchsorted(topics, d.topic)]
        else:
            factor = np.bincount(rng.integers(0, len(d.gold), len(d.gold)), minlength=len(d.gold))
        weighted = Documents(d.gold, d.bronze, d.weight * factor, d.topic)
        return Calibration.from_documents(weighted, *calibration.matrix.shape).matrix
    if calibration.counts is None:
        return calibration.matrix
    rows = [
        rng.multinomial(int(c), row / row.sum()) / c if c else row
        for c, row in zip(calibration.counts, calibration.matrix, strict=True)
    ]
    return np.array(rows)
