"""Pooled scores of one measure: what `pooled` needs of a corrected measure, and when it is not offered."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.correction.coverage import every_difference
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, refused
from dissensus.inference.correction.overlap import cosines, discount_weights, identical, popularity
from dissensus.inference.correction.pooled import FEWEST, Pooled, pool
from dissensus.inference.correction.rectified import covariance_population
from dissensus.inference.correction.weights import Floats, Weights
from dissensus.measures.measure import Measure, Ratio
from dissensus.work.plural import counted

WEAK = 0.5  # discrimination below which pooled intervals were found to cover less than they claim
ASSUMPTION = (
    "the judge's biases vary between systems as if drawn at random, given which documents they share, how popular "
    "these are among all systems, and their naive scores"
)
TOO_SMALL = "this audit is too small to improve the order of systems; it corrects their level."


def pooled_estimate(
    measure: Measure, naive: Floats, estimate: Estimate, design: Design, weights: Weights | None, target: str
) -> Estimate:
    """Pooled scores with the covariance of their means; `why_not` says why they are not offered.

    `naive` are bronze scores, systems × topics; `weights` those of a linear measure.
    """
    why = _not_offered(estimate, design, weights, len(naive))
    if why:
        return refused(Method.POOLED, naive.shape, why, assumption=ASSUMPTION)
    assert estimate.sampling is not None
    kept = np.asarray(np.isfinite(naive).all(axis=0) & np.isfinite(estimate.scores).all(axis=0))
    if not kept.any():
        why = f"{measure} is undefined on every topic"
        return refused(Method.POOLED, naive.shape, why, assumption=ASSUMPTION)
    used = discount_weights(measure, design.joined) if weights is None else weights
    bronze = naive[:, kept].mean(axis=1)
    made = pool(bronze, estimate.theta, estimate.sampling, cosines(used), popularity(used))
    covariance, df = made.covariance, np.inf
    least: Floats | None = None
    if target == "population":
        covariance = made.covariance + _topics(estimate, kept)
        least = np.asarray(made.covariance + covariance_population(naive[:, kept]))
        df = float(kept.sum() - 1)
    scores = estimate.scores + (made.theta - estimate.theta)[:, None]
    notes = _notes(measure, made, design, used, corrected=not estimate.too_few.all())
    return Estimate(
        Method.POOLED, ASSUMPTION, scores, made.theta, covariance, df, notes=tuple(notes), least_between=least,
        calibration_part=made.covariance, df_part=np.inf,
    )  # fmt: skip


def _not_offered(estimate: Estimate, design: Design, weights: Weights | None, systems: int) -> str:
    if systems < FEWEST:
        return f"pooled scores need at least {FEWEST} systems, there are {systems}"
    if estimate.why_not:
        return estimate.why_not
    if estimate.sampling is None:
        return "pooled scores need an audit of the scored documents"
    if not np.isfinite(estimate.theta).all():
        return "some systems have no corrected score"
    return "" if weights is None else every_difference(design, weights)


def _topics(estimate: Estimate, kept: NDArray[np.bool_]) -> Floats:
    """What topics bring to the covariance of θ̂, beyond the audit's part; negative eigenvalues cut."""
    assert estimate.sampling is not None
    by_topic = estimate.floor is None  # a sample of topics has the covariance of its design
    whole = estimate.covariance if by_topic else covariance_population(estimate.scores[:, kept])
    value, vector = np.linalg.eigh(whole - estimate.sampling)
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T, np.float64)


def _notes(measure: Measure, made: Pooled, design: Design, weights: Weights, corrected: bool) -> list[str]:
    notes = []
    if not made.useful:
        notes.append(TOO_SMALL)
    slope = discrimination(measure, design, weights)
    if slope < WEAK:
        notes.append(
            f"the judge discriminates weakly (D = {slope:.3f} on the audited documents that systems show, below "
            f"{WEAK}): pooled intervals cover less than they claim with such a judge"
            + ("; rely on the corrected scores." if corrected else ".")
        )
    names = design.joined.systems
    if same := identical(weights):
        some = ", ".join(f"{names[a]} and {names[b]}" for a, b in same[:3])
        more = f" and {counted(len(same) - 3, 'more pair')}" if len(same) > 3 else ""
        notes.append(f"identical in what they show, and so in their pooled scores: {some}{more}.")
    return notes


def discrimination(measure: Measure, design: Design, weights: Weights) -> float:
    """D = Se + Sp − 1 on audited documents that count; for graded values the slope of bronze on gold values.

    NaN where all audited documents have one gold value, or none has a bronze label.
    """
    seen = design.audited & weights.weighty & (design.bronze < design.n_labels - 1)
    if not seen.any():
        return float("nan")
    gold, bronze = (_values(measure, design, s) for s in (True, False))
    g, j, w = gold[design.gold[seen]], bronze[design.bronze[seen]], 1 / design.inclusion[seen]
    mean = float((w * g).sum() / w.sum())
    spread = float((w * (g - mean) ** 2).sum())
    scale = float(np.ptp(gold)) / (float(np.ptp(bronze)) or 1.0)
    return scale * float((w * (g - mean) * j).sum()) / spread if spread > 0 else float("nan")


def _values(measure: Measure, design: Design, gold: bool) -> Floats:
    scale = design.gold_scale if gold else design.bronze_scale
    if isinstance(measure, Ratio):
        return measure.values(scale)
    return (scale.grades >= measure.relevant_from(scale)).astype(np.float64)
