"""Measures that are not linear, when single documents were audited: impute, then rectify.

Gold labels of unaudited documents are drawn many times (`gold_model`), audited ones stay as they are, and the measure
is taken of every completed set, ideals and R recomputed. That alone leans on the model, which shrinks differences
between systems: documents that good systems find are better than any model of labels and depth says. But audited
documents show by how much, so each speaks for those like it that were not audited:

    X_sq = E*[ m(G) ] + Σ_{d audited} (1/π_d − 1)·E*[ m(G) − m(G with d's label drawn from the model) ].

E* is the mean over draws, π_d the probability of being audited. For a linear measure this *is* the rectified score
(`rectified`). For any other the model's error cancels to first order, and of the second, its square, (1 − π)² remains:
von Mises's expansion, as in one-step and doubly robust estimators (Bickel 1975; Robins, Rotnitzky & Zhao 1994). X is
then treated like rectified scores: differences are paired statistics on it.

When not to use it: with few audited documents per topic and labels that are far off, the square matters; results are
marked model-based. Whole topics, audited at random, need no model (`topicwise`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.data.tables.collection import Joined
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import covariance_population
from dissensus.inference.correction.gold_model import Drawn, draw_gold
from dissensus.inference.correction.one_label_changed import Scored, effects, plain_ratio, ratio_effects
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.inference.correction.weights import Floats
from dissensus.measures.measure import Measure, Ratio
from dissensus.work.progress import Progress

IMPUTATIONS = 20


@dataclass(frozen=True, eq=False)
class Imputed:
    """Rectified per-topic scores and the covariance of their means; beside them what the model alone says.

    `scores` are NaN on topics where the measure was undefined in every draw. `floor` is the part of the covariance that
    auditing only some documents brings, and `worth` how many equally telling labels are behind it; None where the audit
    is a sample of topics. `model` and `model_covariance` are the means over draws, by Rubin's rule.
    """

    scores: Floats
    theta: Floats
    covariance: Floats
    df: float
    floor: Floats | None
    worth: float
    topics: int
    model: Floats
    model_covariance: Floats
    sampling: Floats  # the audit's part of the covariance, for these topics
    draws: float  # variance of the mean over systems between single draws


def impute(measure: Measure, design: Design, target: str, *, seed: int, n: int = IMPUTATIONS) -> Imputed | None:
    """Scores of all systems, imputed and rectified; None where the measure is undefined on almost every topic."""
    joined, low = replace(design.joined, scale=design.gold_scale), np.int8(design.gold_scale.low)
    drawn = draw_gold(design, seed=seed, n=n)
    whole = measure.scores(joined.with_labels(drawn.labels + low))
    mended = mend(measure.scores, joined, whole, drawn, design, plain_ratio(measure))
    kept = np.isfinite(mended.scores).all(axis=0)
    scores, topics = mended.scores[:, kept], int(kept.sum())
    if topics < (1 if target == "these_topics" else 2):
        return None
    # a topic that is undefined in some draws counts there as it does in the others
    filled = np.where(np.isfinite(whole), whole, mended.predicted)[:, :, kept]
    between = np.atleast_2d(np.cov(filled.mean(axis=2), rowvar=False))
    within = np.mean([covariance_population(s) for s in filled], axis=0)
    alone = filled.mean(axis=(0, 2)), within + (1 + 1 / n) * between
    if design.sampled is not None:  # topics without a label cannot be corrected one by one
        by_topic = rectify_topics(mended.predicted[:, kept], scores, design.sampled[kept], target)
        mended.scores[:, kept] = by_topic.scores
        return Imputed(
            mended.scores, by_topic.theta, by_topic.covariance, by_topic.df, None, mended.worth, topics, *alone,
            by_topic.sampling, float(between.mean()),
        )  # fmt: skip
    floor = mended.expected / topics**2 + between / n
    if target == "these_topics":
        covariance, df = floor, max(mended.worth - 1, 1.0)
    else:
        covariance, df = covariance_population(scores) - mended.shown / topics**2 + floor, float(topics - 1)
    return Imputed(
        mended.scores,
        scores.mean(axis=1),
        covariance,
        df,
        floor,
        mended.worth,
        topics,
        *alone,
        floor,
        float(between.mean()),
    )


@dataclass(frozen=True, eq=False)
class Mended:
    """Scores after the audit's word, systems × topics; and the audit's part of the covariance of their *sums*.

    `shown` is Σ_audited r r'(1 − π)/π², r a document's effect on the systems' scores beyond what the model expected, as
    it was; `expected` has the model's expectation of r r' in its place, scaled so that both agree in all: where few
    audited documents tell two systems apart, what those few show is luck. `worth` is the number of equally telling
    documents that the audited ones amount to, (Σ e)²/Σ e² of their expected parts.
    """

    scores: Floats
    predicted: Floats  # by the model alone
    shown: Floats
    expected: Floats
    worth: float


def mend(
    score: Scored, joined: Joined, whole: Floats, drawn: Drawn, design: Design, ratio: Ratio | None = None
) -> Mended:
    """Add to each draw what audited documents say of those like them; `whole` are the draws' scores.

    Documents that were certain to be audited speak for themselves alone and have nothing to add. Where the measure is a
    plain `ratio`, nothing is scored again.
    """
    systems, levels = whole.shape[1], drawn.chances.shape[1]
    asked = np.flatnonzero(design.inclusion[drawn.audited] < 1)
    items = drawn.audited[asked]
    topic, pi, chances = design.topic[items], design.inclusion[items], drawn.chances[asked]
    added = np.zeros_like(whole)
    shown, expected = np.zeros((systems, systems)), np.zeros((systems, systems))
    brought = [np.zeros(0)]  # each audited document's expected part, over all systems
    if ratio is not None:
        changed = ratio_effects(ratio, joined, drawn.labels, whole, items, topic)
    else:
        changed = effects(score, joined, drawn.labels, whole, items, topic, levels)
    with Progress("correcting", len(items)) as bar:
        for some, effect in changed:
            chance = chances[some].transpose(1, 2, 0)  # levels × draws × documents
            surprise = np.einsum("lnd,lnsd->nsd", chance, effect)
            starts = np.flatnonzero(np.diff(topic[some], prepend=-1))  # documents stand by topic
            told = np.add.reduceat((1 / pi[some] - 1) * surprise, starts, axis=2)
            added[:, :, topic[some][starts]] += told
            scale = np.sqrt(1 - pi[some]) / pi[some]
            seen = surprise.mean(axis=0) * scale
            shown += seen @ seen.T
            mean, share = effect.mean(axis=1), chance.mean(axis=1)
            apart = (mean - np.einsum("ld,lsd->sd", share, mean)) * np.sqrt(share)[:, None] * scale
            wide = apart.transpose(1, 0, 2).reshape(systems, -1)
            expected += wide @ wide.T
            brought.append(np.einsum("lsd,lsd->d", apart, apart))
            bar.advance(len(chances[some]))
    more = np.trace(shown) / np.trace(expected) if np.trace(expected) > 0 else 1.0
    part = np.concatenate(brought)
    worth = float(part.sum() ** 2 / (part**2).sum()) if part.any() else 0.0
    return Mended(_mean(whole + added), _mean(whole), shown, expected * max(more, 1.0), worth)


def _mean(scores: Floats) -> Floats:
    """Over the draws in which a score is defined."""
    known = np.isfinite(scores)
    total = np.where(known, scores, 0.0).sum(axis=0)
    out: Floats = np.full(total.shape, np.nan)
    np.divide(total, known.sum(axis=0), out=out, where=known.any(axis=0))
    return out
