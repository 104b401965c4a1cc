"""An audit in two stages: m of n topics were drawn, and then documents within them.

Within the drawn topics every measure is corrected as from an audit of these topics alone, which gives a score X of each
of them. What is true of X is then carried to all topics, as where topics are audited whole (`topicwise`), with B the
judge's scores:

    θ = λ·mean_all B + mean_drawn (X − λ·B),
    Var(θ) = (n − m)/(n·m)·var_q(X − λB) + (m/n)·V    on these topics,

V the variance of mean_drawn X that the draw of documents brings (Särndal, Swensson & Wretman 1992, result 4.3.1). For
all topics like these, X varies by topic with its error in it. Where a model serves all topics, as for nDCG, its error
is common to them, and V counts in full.

When not to use it: where an expert needs no time to get into a topic. Documents of all topics say more.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.correction.design import Design, lay_out
from dissensus.inference.correction.estimate import Estimate, naive, refused, undefined
from dissensus.inference.correction.topicwise import FEW_TOPICS, rectify_topics
from dissensus.measures.grades_used import reachable
from dissensus.measures.measure import Measure
from dissensus.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

ASSUMPTION = "topics, and documents within them, are random samples with the stated probabilities"


def drawn_topics(design: Design) -> Design:
    """The design of the drawn topics alone, each document with its chance once its topic is drawn."""
    assert design.sampled is not None
    assert design.stage is not None
    names = [t for t, here in zip(design.joined.topics, design.sampled, strict=True) if here]
    bare = lay_out(design.joined.runs, design.joined.judgments.select(topics=names), None, design.policies)
    here = design.sampled[design.topic]
    chances = None if design.chances is None else _within(design.chances[here], design.stage)
    inclusion = _within(design.inclusion[here], design.stage)
    return replace(
        bare, gold_scale=design.gold_scale, gold=design.gold[here], inclusion=inclusion, given=True,
        covers_unjudged=design.covers_unjudged, covers=design.covers, chances=chances,
        chosen=None if design.chosen is None else design.chosen[here],
    )  # fmt: skip


def _within(chances: Floats, stage: float) -> Floats:
    return np.minimum(chances / stage, 1.0)


def by_stages(measure: Measure, design: Design, target: str, within: Callable[[Design], Estimate]) -> Estimate:
    """Scores corrected `within` the drawn topics (these topics), carried to all topics."""
    assert design.sampled is not None
    bronze = naive(reachable(measure, design.bronze_scale), design)
    m = int(design.sampled.sum())
    inner = within(drawn_topics(design))
    if inner.why_not:
        return refused(inner.method, bronze.shape, inner.why_not)
    if m < FEW_TOPICS:
        why = f"the audit is a sample of {counted(m, 'topic')}, and correcting by topic needs {FEW_TOPICS}"
        return refused(inner.method, bronze.shape, why)
    gold = np.full(bronze.shape, np.nan)
    gold[:, design.sampled] = inner.scores
    defined = np.isfinite(bronze).all(axis=0) & (np.isfinite(gold).all(axis=0) | ~design.sampled)
    if (design.sampled & defined).sum() < 2:
        return undefined(measure, bronze.shape, inner.method)
    made = rectify_topics(bronze[:, defined], gold[:, defined], design.sampled[defined], target)
    scores = np.full(bronze.shape, np.nan)
    scores[:, defined] = made.scores
    inside = max((c for c in (inner.covariance, *inner.least) if c is not None), key=lambda c: float(np.trace(c)))
    if inner.model is None:
        covariance = made.covariance
        inside = inside * (m / bronze.shape[1])
    else:  # what is not known of ideals is shared by all topics, drawn or not
        covariance = made.covariance + inside
    sampling = made.sampling + inside
    if target == "these_topics":
        covariance = sampling
    left = int((~defined).sum())
    notes = (
        *((f"{counted(left, 'topic')} where the measure is undefined are left out.",) if left else ()),
        f"{m} of {bronze.shape[1]} topics were drawn, and {counted(int(design.audited.sum()), 'document')} in them; "
        f"Student's t with {made.df:g} degrees of freedom.",
        *inner.notes,
    )
    return Estimate(
        inner.method, ASSUMPTION, scores, made.theta, covariance, made.df, "", notes, sampling=sampling,
        common=inner.common,
    )  # fmt: skip
