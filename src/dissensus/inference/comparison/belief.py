"""What a recommendation is drawn from: *the* scores, the covariance behind their intervals, and that of the deviations.

Pooled scores bring V and N with them. Systems that took their corrected numbers have the covariance of those, and share
only the level with the others. Where scores are not pooled, deviations are shrunk by how much they vary (`unpooled`).

For topics like these both covariances have B = cov_q(Y_q)/T on top, Y_q the per-topic scores of the predictions: they
have no audit noise in them. New labels on the same topics do not lower B, new topics do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.inference.comparison.decision import Belief, unpooled
from dissensus.inference.correction.estimate import Estimate, MeasureResult, covariance_population
from dissensus.inference.correction.pooled import audit_covariances
from dissensus.inference.correction.weights import cosines, discount_weights

if TYPE_CHECKING:
    from dissensus.inference.correction.result import Corrected


def belief_of(corrected: Corrected, result: MeasureResult, kinds: Mapping[str, str]) -> Belief | None:
    """Beliefs about the systems after an audit; None where some system has no score at all."""
    estimate, pooled = result.estimate, corrected.pooled.get(result.name)
    if estimate.why_not or not np.isfinite(estimate.theta).all() or result.measure.aggregate != "mean":
        return None
    sign = 1.0 if result.measure.higher_is_better else -1.0
    design = corrected.design
    wide = corrected.target == "population"
    beyond = topics_part(result) if wide else np.zeros_like(estimate.covariance)
    own = _audit_covariance(estimate)
    if own is None:  # nothing splits the audit's part from the topics'
        own, beyond = estimate.covariance, np.zeros_like(estimate.covariance)
    more = own if own.any() else None  # a census leaves no document to label
    if pooled is not None and not pooled.why_not and pooled.pool is not None:
        swapped = np.array([kinds[s] != "pooled" for s in corrected.systems])
        mean = np.where(swapped, estimate.theta, pooled.theta)
        v, n = _swapped(pooled.pool.covariance, pooled.pool.deviations, own, swapped)
        df = float(pooled.df_part) if estimate.model is not None else np.inf
        beyond = raised(beyond, estimate) if wide and more is None else beyond
        return Belief(sign * mean, v + beyond, n + beyond, df, more, own + beyond if wide else None, beyond)
    weights = discount_weights(result.measure, design.joined) if result.weights is None else result.weights
    beyond = raised(beyond, estimate) if wide else beyond
    steady = steadied(beyond, len(corrected.topics) - 1) if wide else beyond
    found = unpooled(sign * estimate.theta, own + steady, cosines(weights))
    return Belief(found.mean, found.wide, found.near, np.inf, more, own + beyond if wide else None, beyond)


def topics_part(result: MeasureResult) -> Floats:
    """B: how the predictions vary over topics; the judge's own scores where an estimate has no predictions."""
    estimate = result.estimate
    by_topic = result.naive
    if estimate.predicted is not None:
        by_topic = estimate.predicted
    elif estimate.rectified is not None:
        by_topic = estimate.rectified.predicted
    return covariance_population(by_topic[:, np.isfinite(by_topic).all(axis=0)])


def raised(beyond: Floats, estimate: Estimate) -> Floats:
    """B towards what corrected scores show of it, as far as that is not noise: after a census wholly.

    Predictions have no audit noise in them, and vary less over topics than the truth. Corrected scores vary as the
    truth does, and the noise comes on top.
    """
    corrected = estimate.scores[:, np.isfinite(estimate.scores).all(axis=0)]
    if estimate.sampling is None or corrected.shape[1] < 2:
        return beyond
    seen, centre = covariance_population(corrected), np.eye(len(beyond)) - 1 / len(beyond)
    shown, floor = audit_covariances(estimate)
    whole, noise, own = (float(np.trace(centre @ c)) for c in (seen, (shown + floor) / 2, beyond))
    truth = own + (1 - noise / whole) * (whole - noise - own) if whole > noise else own
    if not truth > own:
        return beyond
    return beyond * (truth / own) if own > 1e-9 * truth else seen * (truth / whole)


def _audit_covariance(estimate: Estimate) -> Floats | None:
    """C: what the audit brings to the covariance, as expected, raised to the size of what it showed."""
    if estimate.sampling is None:
        return None
    shown, floor = audit_covariances(estimate)
    if estimate.model is not None:
        return floor
    centre = np.eye(len(floor)) - 1 / len(floor)
    expected, seen = (float(np.trace(centre @ c)) for c in (floor, shown))
    return floor * max(1.0, seen / expected) if expected > 0 else floor


def _swapped(wide: Floats, near: Floats, own: Floats, swapped: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """V and N where some systems have corrected scores: they share only the level with pooled ones."""
    if not swapped.any():
        return wide, near
    centre = np.eye(len(own)) - 1 / len(own)
    both, mixed = np.ix_(swapped, swapped), swapped[:, None] ^ swapped
    v, n = wide.copy(), near.copy()
    v[both], n[both] = own[both], (centre @ own @ centre)[both]
    v[mixed], n[mixed] = float(own.mean()), 0.0
    return v, n


def belief_of_scores(
    scores: Floats, higher_is_better: bool, theta: Floats | None = None, covariance: Floats | None = None,
    df: float | None = None,
) -> Belief | None:  # fmt: skip
    """Beliefs from per-topic scores (systems × topics), or from their corrected means, for topics like these.

    Nothing is known of documents here, so systems are as alike as their scores go up and down together. `df` belongs to
    the `covariance` of corrected means.
    """
    kept = scores[:, np.isfinite(scores).all(axis=0)]
    if kept.shape[1] < 2:
        return None
    plain = steadied(covariance_population(kept), kept.shape[1] - 1)
    theta = kept.mean(axis=1) if theta is None else theta
    error = plain if covariance is None else steadied(covariance, df or kept.shape[1] - 1)
    if not np.isfinite(theta).all() or (np.trace(error) < 1e-15 and np.ptp(theta) > 0):
        return None  # the same difference on every topic is no proof that it is the same on all others
    size = np.sqrt(np.diag(plain))
    alike = plain * np.divide(1.0, np.outer(size, size), out=np.zeros_like(plain), where=np.outer(size, size) > 0)
    found = unpooled(theta if higher_is_better else -theta, error, alike)
    return Belief(found.mean, found.wide, found.near, np.inf, None, error)


def steadied(covariance: Floats, df: float) -> Floats:
    """A covariance of deviations from their mean, moved towards equal variances as few topics demand.

    (1 − ρ)S + ρ·(tr S/p)·I within the p = systems − 1 contrasts, with ρ of the oracle approximating shrinkage
    (Chen, Wiesel, Eldar & Hero 2010): ((1 − 2/p) tr S² + tr² S) / ((df + 1 − 2/p)(tr S² − tr² S/p)), at most 1.

    >>> steadied(np.diag([1.0, 1.0, 4.0]), 2).round(2).tolist()
    [[1.33, -0.67, -0.67], [-0.67, 1.33, -0.67], [-0.67, -0.67, 1.33]]
    """
    centre = np.eye(len(covariance)) - 1 / len(covariance)
    s, p = centre @ covariance @ centre, max(len(covariance) - 1, 1)
    whole, squares = float(np.trace(s)), float((s * s).sum())
    spread = (df + 1 - 2 / p) * (squares - whole**2 / p)
    rho = min(1.0, ((1 - 2 / p) * squares + whole**2) / spread) if spread > 0 else 1.0
    return np.asarray((1 - rho) * s + rho * whole / p * centre, np.float64)
