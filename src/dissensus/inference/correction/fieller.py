"""A judge with two gold classes and two labels: how well it tells them apart, and Fieller's sets where that is badly.

For scores and differences corrected through its matrix, with x the score in units of a relevant document's value,

    x = N/D,   N = mean_q [positive_q − (1 − Sp)·filled_q],   D = Se + Sp − 1,

`positive` and `filled` being the weight on ranks labelled relevant, and labelled at all; for a difference, those of one
system less those of the other, and where both fill the same ranks 1 − Sp drops out. While D is within 5 standard errors
of zero, x ± z·se misleads; the set of all x with (N − xD)² ≤ t²·Var(N − xD) does not. The variance knows what N and D
have in common: Sp, and where audited documents are scored themselves, what each topic does to both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.correction.estimate import Estimate
from dissensus.inference.correction.matrix import Calibration, Documents, clustered_influence, influence
from dissensus.stats.intervals import WEAK, ConfidenceSet, fieller, quantiles, two_sided_p


@dataclass(frozen=True)
class Accuracies:
    """Sensitivity and specificity of a judge with two gold classes and two labels, with their variances."""

    sensitivity: float
    specificity: float
    var_sensitivity: float
    var_specificity: float
    negative: int  # which label means "not relevant"
    positive: int

    @property
    def discrimination(self) -> float:
        """D = Se + Sp − 1."""
        return self.sensitivity + self.specificity - 1

    @property
    def discrimination_z(self) -> float:
        """D/se(D)."""
        spread = float(np.sqrt(self.var_sensitivity + self.var_specificity))
        return self.discrimination / spread if spread > 0 else float(np.inf) * float(np.sign(self.discrimination))


def accuracies(calibration: Calibration) -> Accuracies | None:
    """Se, Sp and their variances; None unless there are two gold classes and two labels in use."""
    used = np.flatnonzero(np.nan_to_num(calibration.matrix).sum(axis=0) > 0)
    if len(calibration.matrix) != 2 or len(used) != 2 or np.isnan(calibration.matrix).any():
        return None
    negative, positive = int(used[0]), int(used[1])
    sp, se = float(calibration.matrix[0, negative]), float(calibration.matrix[1, positive])
    v_se = v_sp = 0.0
    if calibration.documents is not None:
        v_se, v_sp = (_rate_variance(calibration.documents, *at) for at in ((1, positive, se), (0, negative, sp)))
    elif calibration.counts is not None:
        v_se, v_sp = se * (1 - se) / float(calibration.counts[1]), sp * (1 - sp) / float(calibration.counts[0])
    return Accuracies(se, sp, v_se, v_sp, negative, positive)


def _rate_variance(documents: Documents, grade: int, label: int, rate: float) -> float:
    """Variance of a weighted rate, residuals summed by topic where there are several."""
    here = (documents.gold == grade) & (documents.weight > 0)
    weight = documents.weight[here]
    pull = weight * ((documents.bronze[here] == label) - rate) / weight.sum()
    topics, code = np.unique(documents.topic[here], return_inverse=True)
    if len(topics) > 1:
        pull = np.bincount(code, pull) * np.sqrt(len(topics) / (len(topics) - 1))
    return float((pull**2).sum())


# ── Fieller's sets ───────────────────────────────────────────────────────────────────────────────────────────────────
def is_weak(estimate: Estimate) -> bool:
    """Is the judge's discrimination within 5 standard errors of none?"""
    rates = None if estimate.solved is None else accuracies(estimate.solved.calibration)
    return rates is not None and abs(rates.discrimination_z) < WEAK


def fieller_difference(estimate: Estimate, a: int, b: int, level: float) -> tuple[ConfidenceSet | None, float, bool]:
    """(Fieller's set, its p of Δ = 0, is the judge weak) for two gold classes and two labels.

    Systems with calibrations of their own differ by two ratios, for which there is no such set.
    """
    common = estimate.together(a, b)
    if common is None:
        return None, math.nan, any(is_weak(estimate.parts[estimate.part_of[s][0]]) for s in (a, b))
    estimate, a, b = common
    if estimate.by_label is None:
        return None, math.nan, False
    found, p = _set(estimate, estimate.by_label[a] - estimate.by_label[b], level)
    return found, p, found is not None and is_weak(estimate)


def fieller_scores(estimate: Estimate, level: float) -> dict[int, ConfidenceSet]:
    """Fieller's sets of the scores whose judge is weak, by system; the others' normal intervals do."""
    out = {}
    for system in range(len(estimate.theta)):
        own, row = (estimate, system)
        if estimate.parts:
            part, row = estimate.part_of[system]
            own = estimate.parts[part]
        if not own.why_not and own.by_label is not None and is_weak(own):
            found, _ = _set(own, own.by_label[row], level)
            if found is not None:
                out[system] = found
    return out


def score_intervals(estimate: Estimate, level: float) -> tuple[Floats, Floats]:
    """Ends of every system's interval: θ ± t·se, or Fieller's where the judge is weak."""
    if not np.isfinite(estimate.theta).any():
        return estimate.theta, estimate.theta
    half = quantiles(level, estimate.df_of()) * estimate.se
    if estimate.pool is not None:
        half = np.where(estimate.too_few, np.nan, half)
    low, high = estimate.theta - half, estimate.theta + half
    for s, exact in fieller_scores(estimate, level).items():
        low[s], high[s] = exact.hull
    return low, high


def _set(estimate: Estimate, mass: Floats, level: float) -> tuple[ConfidenceSet | None, float]:
    """(the set of N/D, p of N = 0) for weights per topic and label; None unless all is binary."""
    solved = estimate.solved
    if solved is None or solved.values[0] != 0 or len(mass) < 2:
        return None, math.nan
    rates = accuracies(solved.calibration)
    if rates is None:
        return None, math.nan
    filled = mass[:, rates.negative] + mass[:, rates.positive]
    per_topic = mass[:, rates.positive] - (1 - rates.specificity) * filled
    numerator, df = float(per_topic.mean()), len(per_topic) - 1
    v_n, v_d, cov = _variances(per_topic, float(filled.mean()), rates, solved.calibration)
    found = fieller(numerator, rates.discrimination, v_n, v_d, covariance=cov, level=level, df=df)
    top = float(solved.values[1])
    scaled = ConfidenceSet(tuple(sorted((low * top, high * top) for low, high in found.pieces)))
    return scaled, two_sided_p(numerator / math.sqrt(v_n), df) if v_n > 0 else float(numerator == 0)


def _variances(
    per_topic: Floats, filled: float, rates: Accuracies, calibration: Calibration
) -> tuple[float, float, float]:
    """(V(N), V(D), Cov(N, D))."""
    n, documents = len(per_topic), calibration.documents
    if documents is None or not documents.scored or documents.n_topics < 2:
        v_n = float(per_topic.var(ddof=1)) / n + filled**2 * rates.var_specificity
        return v_n, rates.var_sensitivity + rates.var_specificity, filled * rates.var_specificity
    label = np.eye(calibration.matrix.shape[1])
    pull = [
        influence(calibration, np.eye(2)[[grade]], label[hit], np.array([rate, rate]))
        for grade, hit, rate in ((0, rates.negative, rates.specificity), (1, rates.positive, rates.sensitivity))
    ]
    sp, se = clustered_influence(np.vstack(pull), documents, n)
    z_n = (per_topic - per_topic.mean()) / math.sqrt(n * (n - 1)) + filled * sp
    z_d = sp + se
    return float(z_n @ z_n), float(z_d @ z_d), float(z_n @ z_d)
