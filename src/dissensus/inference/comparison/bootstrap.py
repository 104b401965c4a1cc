"""Bootstrap of a corrected difference: topics and calibration documents resampled together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.matrix import Calibration
from dissensus.inference.correction.weights import Floats, Ints
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
    if estimate.parts or (estimate.solved is not None and estimate.by_label is not None):
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


@dataclass(frozen=True, eq=False)
class Term:
    """Something to be corrected through one calibration: weight per label, topics × labels, and the values sought."""

    mass: Floats
    values: Floats
    calibration: Calibration

    def resampled(self, topics: Ints, rng: np.random.Generator) -> float:
        """Its corrected mean under resampled topics and a resampled matrix; NaN where the resample has no answer."""
        used = np.flatnonzero(np.nan_to_num(self.calibration.matrix).sum(axis=0) > 0)
        matrix = _resampled(self.calibration, topics, rng)[:, used]
        if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix) < len(matrix):
            return math.nan
        return float(self.mass[topics].mean(axis=0)[used] @ np.linalg.lstsq(matrix, self.values, rcond=None)[0])


def _terms(estimate: Estimate, a: int, b: int) -> list[Term]:
    """θ_a − θ_b as one corrected difference, or as two corrected scores where each has its own calibration."""
    common = estimate.together(a, b)
    if common is not None:
        whole, i, j = common
        assert whole.solved is not None
        assert whole.by_label is not None
        return [Term(whole.by_label[i] - whole.by_label[j], whole.solved.values, whole.solved.calibration)]
    out = []
    for system, sign in ((a, 1.0), (b, -1.0)):
        which, row = estimate.part_of[system]
        part = estimate.parts[which]
        assert part.solved is not None
        assert part.by_label is not None
        out.append(Term(sign * part.by_label[row], part.solved.values, part.solved.calibration))
    return out


def _matrix_draws(estimate: Estimate, a: int, b: int, seed: int, replicates: int) -> Floats:
    """θ_a − θ_b under resampled topics and a resampled confusion matrix; NaN where a resample has no answer."""
    sizes = [min(BLOCK, replicates - start) for start in range(0, replicates, BLOCK)]
    shared = {"terms": _terms(estimate, a, b)}
    return np.concatenate(run_units(matrix_draws, sizes, shared=shared, seed=seed, progress="resamples"))


def matrix_draws(unit: int, rng: np.random.Generator, terms: list[Term]) -> Floats:
    """`unit` resamples. Calibrations that are lists of the same documents are resampled alike, others apart."""
    n = len(terms[0].mass)
    out = np.empty(unit)
    for r in range(unit):
        topics = rng.integers(0, n, n)
        state = rng.bit_generator.state
        out[r] = 0.0
        for term in terms:
            if term.calibration.documents is not None:
                rng.bit_generator.state = state
            out[r] += term.resampled(topics, rng)
    return out


def _resampled(calibration: Calibration, drawn: Ints, rng: np.random.Generator) -> Floats:
    """A resampled matrix; documents of one topic go together, and with the topic where it is a scored one."""
    d = calibration.documents
    if d is not None:
        topics = np.unique(d.topic)
        if len(topics) > 1 and d.scored:
            factor = np.bincount(drawn, minlength=int(topics[-1]) + 1)[d.topic]
        elif len(topics) > 1:
            times = np.bincount(rng.integers(0, len(topics), len(topics)), minlength=len(topics))
            factor = times[np.searchsorted(topics, d.topic)]
        else:
            factor = np.bincount(rng.integers(0, len(d.gold), len(d.gold)), minlength=len(d.gold))
        weighted = replace(d, weight=d.weight * factor)
        return Calibration.from_documents(weighted, *calibration.matrix.shape).matrix
    if calibration.counts is None:
        return calibration.matrix
    rows = [
        rng.multinomial(int(c), row / row.sum()) / c if c else row
        for c, row in zip(calibration.counts, calibration.matrix, strict=True)
    ]
    return np.array(rows)
