"""Linear measures from naive labels, and rectified by an audit of single documents or of whole topics."""

from __future__ import annotations

import numpy as np

from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method
from dissensus.inference.correction.rectified import (
    Labels,
    covariance_population,
    rectify,
    smooth_audit_covariance,
)
from dissensus.inference.correction.weights import Floats, Weights
from dissensus.measures.measure import Linear, Measure
from dissensus.work.plural import counted


def naive(measure: Measure, design: Design) -> Floats:
    """The scores of the bronze labels as they are, systems × topics."""
    if design.policies.ties == "expected":
        from dissensus.measures.ties import expected_scores

        return np.asarray(expected_scores(measure, design.joined)[0][0], np.float64)
    return np.asarray(measure.scores(design.joined)[0], np.float64)


def naive_estimate(measure: Measure, design: Design) -> Estimate:
    """The same as an estimate, topics where the measure is undefined left out: paired t over topics."""
    scores = naive(measure, design)
    kept = scores[:, np.isfinite(scores).all(axis=0)]
    return Estimate(Method.NAIVE, "", kept, kept.mean(axis=1), covariance_population(kept), kept.shape[1] - 1.0)


def by_rectifying(
    measure: Linear, design: Design, weights: Weights, target: str, *, use_bronze: bool = True
) -> Estimate:
    """Rectified scores; topics that were not sampled are predicted where the audit is a sample of topics."""
    labels, everyone = design.labels(*design.values_of(measure)), design.everyones_inclusion(weights)
    covers = design.covers_unjudged
    if design.sampled is None:
        return rectified_estimate(weights, labels, everyone, target, covers_unjudged=covers, use_bronze=use_bronze)
    from dissensus.inference.correction.topicwise import rectify_topics

    made = rectify(weights, labels, covers_unjudged=covers, use_bronze=use_bronze)
    by_topic = rectify_topics(made.predicted, made.scores, design.sampled, target)
    m = int(design.sampled.sum())
    return Estimate(
        Method.RECTIFIED if use_bronze else Method.GOLD_ONLY,
        "audited topics are a random sample of the topics",
        by_topic.scores,
        by_topic.theta,
        by_topic.covariance,
        by_topic.df,
        notes=(
            f"the audit is a sample of {m} of {weights.n_topics} topics; Student's t with {by_topic.df:g} degrees.",
        ),
        rectified=made,
        sampling=by_topic.sampling,
    )


def rectified_estimate(
    weights: Weights,
    labels: Labels,
    inclusion: Floats,
    target: str = "population",
    *,
    covers_unjudged: bool = False,
    use_bronze: bool = True,
) -> Estimate:
    """Rectified means and their covariance, from arrays; `inclusion` is π of every item.

    The audit's part of a variance is the larger of what the audited documents show (`Rectified.part`) and what is
    expected of all documents (`smooth_audit_covariance`): a few of them show too little by luck. The topics' part is
    what cov_q(X)/n has beyond it. Student's t counts how many equally telling labels there are.
    """
    made = rectify(weights, labels, covers_unjudged=covers_unjudged, use_bronze=use_bronze)
    floor = smooth_audit_covariance(weights, labels, made.residual, inclusion)
    part = made.part(weights, labels)
    covariance, df = floor, np.inf
    if target == "population":
        covariance = covariance_population(made.scores) - part.covariance + floor
        df = float(weights.n_topics - 1)
    said = f"predictions are cross-fitted by topic: only {counted(labels.n_audited, 'audited label')}."
    return Estimate(
        Method.RECTIFIED if use_bronze else Method.GOLD_ONLY,
        "audited documents are a random sample with the stated probabilities",
        made.scores,
        made.scores.mean(axis=1),
        covariance,
        df,
        notes=(said,) if made.cross_fitted else (),
        rectified=made,
        floor=floor,
        least=(part.covariance,),
        df_part=float(labels.n_audited - 1),
        audit=part,
        sampling=(part.covariance + floor) / 2,
    )
