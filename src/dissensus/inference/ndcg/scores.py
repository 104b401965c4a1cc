"""Corrected and pooled nDCG of a design: from joined rankings, one judge's labels and an audit to estimates.

What `corrected` and `pooled` compute from arrays is laid out here, with the topics' part of the covariance for all
topics like these, and with the sentences that refuse it. NCG has the same shape, and is treated alike.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import (
    Estimate,
    Method,
    covariance_population,
    naive,
    refused,
    undefined,
)
from dissensus.inference.correction.weights import discount_weights
from dissensus.inference.ndcg.chances import SHOWN, TopicPools
from dissensus.inference.ndcg.corrected import LEAST_CHANCE, RELEVANT, Gains, Sampled, sampled_scores
from dissensus.measures.families.gain import Cumulated
from dissensus.measures.measure import Measure, cut
from dissensus.measures.scores import aggregated
from dissensus.wording import counted

FEWEST_LABELS = 50  # with fewer, intervals were not shown to cover
ASSUMPTION = (
    "audited documents are a random sample with the stated probabilities, and a model of gold grades gives the ideals"
)


def pool_of(measure: Measure, design: Design) -> TopicPools:
    """The documents of a design as the model of gold grades sees them."""
    joined = design.joined
    weights = discount_weights(measure, joined)
    near = joined.hit_item[joined.hit_rank <= SHOWN]
    judged = design.bronze < design.n_labels - 1
    top = max(design.n_labels - 2, 1)
    bronze = np.where(judged, design.bronze / top, 0.5)
    chances = design.everyones_inclusion(weights)
    return TopicPools(
        weights,
        bronze,
        design.bronze,
        np.bincount(near, minlength=len(bronze)),
        design.gold,
        np.maximum(np.nan_to_num(chances, nan=LEAST_CHANCE), LEAST_CHANCE),
        naive_means(measure, design),
        len(design.gold_scale),
    )


def gains_of(measure: Measure, design: Design) -> Gains | None:
    """The gains of gold levels, the best being 1, and the discounts; None where no grade has a gain."""
    assert isinstance(measure, Cumulated)
    values = measure.values(design.gold_scale)
    if values.max() <= 0:
        return None
    deepest = int(np.diff(design.joined.topic_bounds).max(initial=1))
    return Gains(values / values.max(), cut(measure.weights(deepest), measure.cutoff))


def naive_means(measure: Measure, design: Design) -> Floats:
    """Mean scores by the judge's labels; 0 where nothing is relevant to them."""
    return np.nan_to_num(np.asarray(aggregated(naive(measure, design)), np.float64))


def why_not(measure: Measure, design: Design, gains: Gains) -> str:
    """Why an audit bears no corrected nDCG; empty where it does."""
    labels = design.gold[design.audited]
    if len(labels) < FEWEST_LABELS:
        return f"{counted(len(labels), 'audited document')} are too few for {measure}: it needs {FEWEST_LABELS}"
    relevant = int((gains.values[labels] > 0).sum())
    if relevant < RELEVANT:
        return (
            f"{counted(relevant, 'audited document')} of a relevant grade do not say how high the ideals of "
            f"{measure} are: it needs {RELEVANT}"
        )
    return ""


def by_model(measure: Measure, design: Design, target: str, seed: int) -> Estimate:
    """Corrected scores of nDCG from audited documents; `why_not` says why there are none."""
    shape = (len(design.joined.systems), len(design.joined.topics))
    gains = gains_of(measure, design)
    if gains is None:
        return undefined(measure, shape, Method.MODEL)
    complete = bool(design.audited[design.bronze < design.n_labels - 1].all())
    if not complete and (why := why_not(measure, design, gains)):
        return refused(Method.MODEL, shape, f"{why}, so audit more documents")
    made = sampled_scores(
        pool_of(measure, design), gains, seed=seed, empty=design.policies.empty, fixed=design.fixed_size
    )
    kept = (made.answered > 0) | (design.policies.empty == "zero")
    if not kept.any():
        return undefined(measure, shape, Method.MODEL)
    seen = counted(int(design.audited.sum()), "audited label")
    said = f"{seen}; ideals come from a model of gold grades, fitted to them."
    return estimate_of(made, kept, design, measure, target, (Method.MODEL, ASSUMPTION, said))


def estimate_of(
    made: Sampled,
    kept: NDArray[np.bool_],
    design: Design,
    measure: Measure,
    target: str,
    about: tuple[Method, str, str],
) -> Estimate:
    """The estimate for a target; scores are NaN on topics that are left out. `about`: method, assumption, a note."""
    method, assumption, said = about
    scale = float(kept.sum()) / made.number  # 1 unless a topic may or may not be empty
    scores = np.where(kept, made.scores * scale, np.nan)
    covariance, df, least = made.covariance, np.inf, None
    if target == "population":
        inside = scores[:, kept]
        covariance = made.covariance + positive(covariance_population(inside) - made.audit)
        least = made.covariance + by_bronze(measure, design)
        df = max(float(kept.sum()) - 1, 1.0)
    seen, notes = int(design.audited.sum()), [said]
    if not kept.all():
        notes.append(f"{counted(int((~kept).sum()), 'topic')} without a relevant document are left out.")
    return Estimate(
        method, assumption, scores, made.theta, covariance, df, notes=tuple(notes), least_between=least,
        floor=made.covariance, df_part=float(max(seen - 1, 1)), audit=made.part, sampling=made.covariance,
        common=made.common, model=made.model_theta, predicted=np.where(kept, made.model * scale, np.nan),
    )  # fmt: skip


def by_bronze(measure: Measure, design: Design) -> Floats:
    """How the judge's own scores vary over topics: the least that differences vary by for all topics like these."""
    scores = naive(measure, design)
    return covariance_population(scores[:, np.isfinite(scores).all(axis=0)])


def positive(covariance: Floats) -> Floats:
    """The same with negative eigenvalues cut."""
    value, vector = np.linalg.eigh(covariance)
    return np.asarray((vector * np.maximum(value, 0.0)) @ vector.T, np.float64)
