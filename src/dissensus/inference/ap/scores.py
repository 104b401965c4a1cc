"""Corrected AP of a design: from joined rankings, one judge's labels and an audit to an estimate.

What `corrected` computes from arrays is laid out here, with the sentences that refuse it.
"""

from __future__ import annotations

import numpy as np

from dissensus.inference.ap.chances import RelevancePools
from dissensus.inference.ap.corrected import sampled_scores
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, refused, undefined
from dissensus.inference.correction.weights import discount_weights
from dissensus.inference.ndcg.chances import SHOWN, TopicPools
from dissensus.inference.ndcg.corrected import LEAST_CHANCE, RELEVANT
from dissensus.inference.ndcg.scores import FEWEST_LABELS, estimate_of, naive_means
from dissensus.measures.families.average import AP
from dissensus.measures.families.gain import nDCG
from dissensus.measures.grades_used import reachable
from dissensus.wording import counted

ASSUMPTION = (
    "audited documents are a random sample with the stated probabilities, and a model of relevance says what the "
    "others may be"
)
FROM = 300  # audited labels from which `experiment coverage` has shown that intervals hold
NEAR = 10  # ranks whose discounts say which systems show a document


def known_of(measure: AP, design: Design) -> RelevancePools:
    """The documents of a design as the model of relevance sees them."""
    joined = design.joined
    weights = discount_weights(measure, joined)
    near = joined.hit_item[joined.hit_rank <= SHOWN]
    judged = design.bronze < design.n_labels - 1
    bronze = np.where(judged, design.bronze / max(design.n_labels - 2, 1), 0.5)
    chances = np.nan_to_num(design.everyones_inclusion(weights), nan=LEAST_CHANCE)
    within = reachable(measure, design.bronze_scale)
    assert isinstance(within, AP)
    low, high = measure.rel - design.gold_scale.low, within.rel - design.bronze_scale.low
    pool = TopicPools(
        weights,
        bronze,
        design.bronze,
        np.bincount(near, minlength=len(bronze)),
        np.where(design.audited, design.gold >= low, -1).astype(np.int64),
        np.maximum(chances, LEAST_CHANCE),
        naive_means(within, design),
        2,
    )
    return RelevancePools.of(pool, judged & (design.bronze >= high), discount_weights(nDCG(cutoff=NEAR), joined))


def enough_labels(design: Design) -> bool:
    """Does the model of relevance correct AP? With fewer labels it is imputed and rectified."""
    return int(design.audited.sum()) >= FROM


def why_not(measure: AP, design: Design) -> str:
    """Why an audit bears no corrected AP; empty where it does."""
    labels = design.gold[design.audited]
    if len(labels) < FEWEST_LABELS:
        return f"{counted(len(labels), 'audited document')} are too few for {measure}: it needs {FEWEST_LABELS}"
    relevant = int((labels >= measure.rel - design.gold_scale.low).sum())
    if relevant < RELEVANT:
        return f"{counted(relevant, 'audited relevant document')} are too few for {measure}: it needs {RELEVANT}"
    return ""


def by_model(measure: AP, design: Design, target: str, seed: int) -> Estimate:
    """Corrected scores of AP from audited documents; `why_not` says why there are none."""
    shape = (len(design.joined.systems), len(design.joined.topics))
    complete = bool(design.audited[design.bronze < design.n_labels - 1].all())
    if not complete and (why := why_not(measure, design)):
        return refused(Method.RELEVANCE, shape, f"{why}, so audit more documents")
    made = sampled_scores(known_of(measure, design), seed=seed, empty=design.policies.empty, fixed=design.fixed_size)
    kept = (made.answered > 0) | (design.policies.empty == "zero")
    if not kept.any():
        return undefined(measure, shape, Method.RELEVANCE)
    said = f"{counted(int(design.audited.sum()), 'audited label')}; a model of relevance is fitted to them."
    return estimate_of(made, kept, design, measure, target, (Method.RELEVANCE, ASSUMPTION, said))
