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
from functools import lru_cache

import numpy as np

from dissensus.arrays import Floats, Values
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, covariance_population, refused, undefined
from dissensus.inference.correction.gold_model import DrawnLabels, draw_gold
from dissensus.inference.correction.one_label_changed import Scored, effects
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.measures.measure import Measure
from dissensus.tables.collection import Joined
from dissensus.wording import counted
from dissensus.work.progress import Progress
from dissensus.work.seeds import generator

IMPUTATIONS = 20
GROUPS = 5  # of audited documents, left out in turn
DRAWS = 6  # of the gold labels, for each group of the jackknife
PER_TOPIC = 2.0  # audited documents; with fewer, ideals are guesses


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
    mended = mend(measure.scores, joined, whole, drawn, design)
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


def mend(score: Scored, joined: Joined, whole: Floats, drawn: DrawnLabels, design: Design) -> Mended:
    """Add to each draw what audited documents say of those like them; `whole` are the draws' scores.

    Documents that were certain to be audited speak for themselves alone and have nothing to add.
    """
    systems, levels = whole.shape[1], drawn.chances.shape[1]
    asked = np.flatnonzero(design.inclusion[drawn.audited] < 1)
    items = drawn.audited[asked]
    topic, pi, chances = design.topic[items], design.inclusion[items], drawn.chances[asked]
    added = np.zeros_like(whole)
    shown, expected = np.zeros((systems, systems)), np.zeros((systems, systems))
    brought = [np.zeros(0)]  # each audited document's expected part, over all systems
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


# ── the bias of few labels per topic ─────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Jackknife:
    """Few labels per topic and a measure with an ideal or R: the bias that 1/ideal brings, and a variance that sees it.

    E[1/ideal] is not 1/E[ideal]: with few gold labels per topic, imputed and rectified nDCG, AP, ERR and RR are biased,
    all systems' in the same direction. Delete-a-group jackknife over audited documents: five random groups, each left
    out in turn (the others' π becomes 4/5 of it), θ_(g) the scores without group g:

        bias = 4(mean θ_(g) − θ),   common bias_s = θ_s·mean(bias)/mean(θ),   V = ⅘ Σ (θ_(g) − mean)(θ_(g) − mean)ᵀ.

    The bias is never subtracted (with 100 labels even its sign is wrong), but belongs into the standard error: se² =
    the larger of C and V, plus the square of the common bias. A large bias is no reason to refuse: it is in the
    interval. Of 220 audits of six judges 15 had a bias above the rest of the standard error, and their intervals held
    all scores and .998 of the differences. With fewer than two audited documents per topic there is nothing to report.

    Five groups see the bias badly (500 random labels, nDCG@10, a binary judge: true +.08, seen .05 ± .045), and where
    they see none the intervals are too short. So half the `step` from the model's mean to the rectified one counts as
    well, if it is larger: the step is a first-order correction, and what it leaves out grows with it. Scores of three
    binary judges were covered .84 to .96 by the jackknife alone and .975 to 1.0 with the step (500 and 1,000 random
    labels, DL21).

    Scores are means over draws of gold labels, which differ by chance: what that alone makes of the bias, 4√(v/n +
    v/5m) for n draws in all and m per group, is its `noise`, and is taken out of its square.
    """

    bias: Floats
    covariance: Floats
    noise: float
    step: Floats

    @property
    def beyond(self) -> Floats:
        """The bias beyond its noise, √(bias² − noise²), by system; or half the step where that is larger."""
        size, half = float(np.abs(self.bias).mean()), self.step / 2
        left = max(1 - (self.noise / size) ** 2, 0.0) if size > 0 else 0.0
        seen = self.bias * float(np.sqrt(left))
        return seen if np.abs(seen).mean() >= np.abs(half).mean() else half


@lru_cache(maxsize=1)  # measures asked for together share the groups, and so their draws
def left_out(design: Design, seed: int) -> tuple[Design, ...]:
    """The audit without each of five random groups of its documents, the others' π times 4/5."""
    seen = np.flatnonzero(design.audited)
    group = np.full(len(design.gold), -1)
    group[seen] = generator(seed, GROUPS).permutation(len(seen)) % GROUPS
    share = 1 - 1 / GROUPS
    return tuple(
        replace(
            design,
            gold=np.where(group == g, -1, design.gold),
            inclusion=design.inclusion * share,
            chances=None if design.chances is None else design.chances * share,
        )
        for g in range(GROUPS)
    )


def jackknife(measure: Measure, design: Design, made: Imputed, seed: int) -> Jackknife | None:
    """Leave each group of audited documents out; None where the measure is then undefined almost everywhere."""
    without = []
    for left in left_out(design, seed):
        one = impute(measure, left, "these_topics", seed=seed, n=DRAWS)
        if one is None:
            return None
        without.append(one.scores)
    kept = np.isfinite(made.scores).all(axis=0) & np.isfinite(without).all(axis=(0, 1))
    if not kept.any():
        return None
    theta = np.array([scores[:, kept].mean(axis=1) for scores in without])
    whole = made.scores[:, kept].mean(axis=1)
    bias = (GROUPS - 1) * (theta.mean(axis=0) - whole)
    away = theta - theta.mean(axis=0)
    noise = (GROUPS - 1) * float(np.sqrt(made.draws / IMPUTATIONS + made.draws / (GROUPS * DRAWS)))
    step = _common(made.theta - made.model, made.theta)
    return Jackknife(_common(bias, whole), (1 - 1 / GROUPS) * (away.T @ away), noise, step)


def _common(part: Floats, scores: Floats) -> Floats:
    """The mean of `part`, given to systems in proportion to their scores."""
    level, mean = float(scores.mean()), float(part.mean())
    return scores * (mean / level) if abs(level) > 1e-12 else np.full(len(scores), mean)


def too_few(measure: Measure, design: Design) -> str:
    """Why there is nothing to report, with what to do instead; empty where there is."""
    per_topic = float(design.audited.sum()) / len(design.joined.topics)
    if per_topic >= PER_TOPIC:
        return ""
    return instead(f"there are {per_topic:.1f} audited documents per topic, and {measure} needs {PER_TOPIC:g} at least")


def instead(why: str) -> str:
    """The reason, and what works where this does not."""
    return (
        f"{why}; audit more documents or whole topics, or take a linear measure (P@k, RBP, DCG@k) or nDCG-ratio, which "
        "need no topic's ideal"
    )


# ── scores of a measure ──────────────────────────────────────────────────────────────────────────────────────────────
def by_imputation(
    measure: Measure, design: Design, target: str, seed: int, *, check: bool = True
) -> tuple[Estimate, Estimate | None]:
    """(imputed and rectified, what the model says alone).

    `check` looks for the bias of few labels per topic (`Jackknife`), puts it into the standard error, or refuses.
    """
    shape = (len(design.joined.systems), len(design.joined.topics))
    partly = not design.audited[design.bronze < design.n_labels - 1].all() and design.sampled is None
    if check and partly and (why := too_few(measure, design)):
        return refused(Method.IMPUTATION, shape, why), None
    made = impute(measure, design, target, seed=seed)
    if made is None:
        return undefined(measure, shape, Method.IMPUTATION), None
    notes = [
        "model-based: the model's error cancels to first order only. "
        f"{counted(int(design.audited.sum()), 'audited label')} count as {made.worth:,.0f} equally telling ones; whole "
        "topics, audited at random, would need no model."
    ]
    if made.topics < made.scores.shape[1]:
        notes.append(f"{made.scores.shape[1] - made.topics} topics where the measure is undefined are left out.")
    extra: Values = {"covariance": made.covariance, "sampling": made.sampling}
    if check and partly and made.floor is not None:
        found = jackknife(measure, design, made, seed)
        if found is None:
            why = instead(f"without a fifth of the audited documents {measure} is undefined on almost every topic")
            return refused(Method.IMPUTATION, shape, why), None
        extra = _with_bias(made, found, target)
        notes.append(
            f"few labels per topic may bias all scores by about {float(np.abs(found.beyond).mean()):.4f} "
            "(jackknife, or half of what the audit changed in the model): in the standard errors, not subtracted."
        )
    rectified = Estimate(
        Method.IMPUTATION,
        "audited documents are a random sample with the stated probabilities, and unaudited ones are roughly as "
        "modelled by bronze label, depth, retrieving systems and topic",
        scores=made.scores, theta=made.theta, df=made.df, notes=tuple(notes), floor=made.floor,
        df_part=max(made.worth - 1, 1.0), **extra,
    )  # fmt: skip
    alone = Estimate(
        Method.IMPUTED,
        "unaudited documents are as modelled by bronze label, depth, retrieving systems and topic",
        made.scores, made.model, made.model_covariance, float(made.topics - 1),
    )  # fmt: skip
    return rectified, alone


def _with_bias(made: Imputed, found: Jackknife, target: str) -> dict[str, object]:
    """The covariances of an estimate whose error holds the common bias, and at least the jackknife's variance."""
    assert made.floor is not None
    bias = np.outer(found.beyond, found.beyond)
    topics = made.covariance - made.floor if target == "population" else 0.0
    larger = max(float(np.trace(found.covariance) / max(np.trace(made.floor), 1e-300)), 1.0)
    return {
        "covariance": made.covariance + bias,
        "least": (found.covariance + topics + bias, found.covariance + bias),
        "sampling": made.floor * larger + bias,
    }
