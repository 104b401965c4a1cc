"""Bootstrap of corrected scores and differences: topics and calibration documents resampled together."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.matrix import Calibration
from dissensus.stats.simultaneous import critical, share_reaching
from dissensus.work.executor import run_units
from dissensus.work.seeds import block_sizes, generator

REPLICATES = 2000
BLOCK = 100  # resamples that share a generator


@dataclass(frozen=True, eq=False)
class Bootstrapped:
    """What resamples say of one number: studentised (|t*|, ascending) where `se` is known, else its own draws."""

    centre: float
    se: float
    draws: Floats

    @property
    def p(self) -> float:
        """Two-sided p of zero; never 0."""
        if math.isnan(self.se):
            below = (np.count_nonzero(self.draws <= 0) + 1) / (len(self.draws) + 1)
            return float(min(1.0, 2 * min(below, 1 - below + 2 / (len(self.draws) + 1))))
        if self.se == 0:
            return float(self.centre == 0)
        return float(share_reaching(self.draws, self.centre / self.se))

    def interval(self, level: float) -> tuple[float, float]:
        """Symmetric about the estimate where studentised; percentiles otherwise, because the ratio is skewed."""
        if math.isnan(self.se):
            low, high = np.quantile(self.draws, [(1 - level) / 2, (1 + level) / 2])
            return float(low), float(high)
        half = critical(self.draws, level) * self.se if self.se > 0 else 0.0
        return self.centre - half, self.centre + half


def bootstrap_difference(estimate: Estimate, a: int, b: int, seed: int, replicates: int = REPLICATES) -> Bootstrapped:
    """θ_a − θ_b under resampling.

    Rectified and per-topic scores: topics are resampled, studentised (a percentile interval is too short with few
    topics). Confusion matrix: topics and calibration are resampled, percentiles taken, because the ratio is skewed.
    """
    centre = float(estimate.theta[a] - estimate.theta[b])
    if estimate.method.by_matrix:
        return _drawn(_terms(estimate, a, b), centre, seed, replicates)
    return _studentised(estimate.scores[a] - estimate.scores[b], centre, seed, replicates)


def bootstrap_score(estimate: Estimate, system: int, seed: int, replicates: int = REPLICATES) -> Bootstrapped:
    """θ of one system under resampling (S2 §4.2), as `bootstrap_difference`."""
    centre = float(estimate.theta[system])
    if estimate.method.by_matrix:
        return _drawn([_term(estimate, system, 1.0)], centre, seed, replicates)
    return _studentised(estimate.scores[system], centre, seed, replicates)


def _studentised(values: Floats, centre: float, seed: int, replicates: int) -> Bootstrapped:
    x = values[np.isfinite(values)]
    n = len(x)
    if n < 2:
        return Bootstrapped(centre, math.inf, np.array([math.inf]))
    se = float(x.std(ddof=1)) / math.sqrt(n)
    if se == 0:
        return Bootstrapped(centre, 0.0, np.zeros(1))
    sample = x[generator(seed).integers(0, n, (replicates, n))]
    spread = sample.std(axis=1, ddof=1) / math.sqrt(n)
    t = np.full(replicates, math.inf)  # a resample without spread bounds nothing
    np.divide(np.abs(sample.mean(axis=1) - x.mean()), spread, out=t, where=spread > 0)
    return Bootstrapped(centre, se, np.sort(t))


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


def _term(estimate: Estimate, system: int, sign: float) -> Term:
    """One system through its calibration."""
    which, row = estimate.part_of[system] if estimate.parts else (None, system)
    part = estimate if which is None else estimate.parts[which]
    assert part.solved is not None
    assert part.by_label is not None
    return Term(sign * part.by_label[row], part.solved.values, part.solved.calibration)


def _terms(estimate: Estimate, a: int, b: int) -> list[Term]:
    """θ_a − θ_b as one corrected difference, or as two corrected scores where each has its own calibration."""
    common = estimate.together(a, b)
    if common is None:
        return [_term(estimate, a, 1.0), _term(estimate, b, -1.0)]
    whole, i, j = common
    assert whole.solved is not None
    assert whole.by_label is not None
    return [Term(whole.by_label[i] - whole.by_label[j], whole.solved.values, whole.solved.calibration)]


def _drawn(terms: list[Term], centre: float, seed: int, replicates: int) -> Bootstrapped:
    """The sum of the terms under resampled topics and resampled matrices; resamples without an answer left out."""
    sizes = block_sizes(replicates, BLOCK)
    draws = np.concatenate(run_units(matrix_draws, sizes, shared={"terms": terms}, seed=seed, progress="resamples"))
    return Bootstrapped(centre, math.nan, draws[np.isfinite(draws)])


def matrix_draws(unit: int, rng: np.random.Generator, terms: list[Term]) -> Floats:
    """`unit` resamples. Calibrations that are lists of the same documents are resampled equally, others separately."""
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
