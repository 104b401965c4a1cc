"""Rectified scores: bronze labels everywhere, corrected by a few gold labels, with no assumption on where errors fall.

For every document d of topic q, f(J_d) is the mean gold value of documents with its bronze label, and

    X_sq = Σ_d w_sd [ f(J_d) + (I_d/π_d)·(v(G_d) − f(J_d)) ],   θ_s = mean_q X_sq,

I_d telling whether d was audited and π_d the probability of that. Whatever f is, the second term repairs it on average,
so X_sq is unbiased even if the judge favours one system, one depth or one topic; f only sets how much it varies.
Differences are ordinary paired statistics on X. (The difference estimator of survey sampling; prediction-powered
inference, Angelopoulos et al. 2023.)

When not to use it: the audit must be a random sample, with known probabilities, of the documents that are scored.
Accuracies measured elsewhere can only be used through the confusion matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.estimate import AuditPart, Estimate, Method, covariance_population
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.inference.correction.weights import Weights, products
from dissensus.measures.measure import Linear
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.correction.design import Design

BELIEF = 4.0  # audited labels that the prior is worth
CROSS_FIT_BELOW = 50  # audited labels; with fewer, f is fitted without the topic it is used on
NEAR = 10  # audited documents that are asked how likely an unaudited one like them was


# ── what a label is worth ─────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Prior:
    """What a bronze label is worth before anyone has audited it, as four labels' worth of belief.

        p_J = 0.1 + 0.8·(value of J on the range of values),   0.5 without a bronze label.

    Means and squared errors of few audited documents are shrunk towards p_J and p_J(1 − p_J), in units of the measure:
    three audited documents on which the judge was right do not make a judge that never errs.
    """

    mean: Floats
    square: Floats

    @classmethod
    def of(cls, bronze: Floats, gold: Floats) -> Prior:
        """From the values of bronze labels (the last one being "no label") and of gold grades.

        A judge whose labels are all worth the same to a measure (a binary judge, a threshold of 2) still orders
        documents: its labels are then taken as steps from the bottom to the top.

        >>> Prior.of(np.array([0.0, 1.0, 0.0]), np.array([0.0, 1.0])).mean.tolist()
        [0.1, 0.9, 0.5]
        >>> Prior.of(np.array([0.0, 0.0, 0.0]), np.array([0.0, 0.0, 2.0])).mean.round(3).tolist()
        [0.2, 1.8, 1.0]
        """
        low, wide = float(gold.min()), float(np.ptp(gold))
        own = bronze[:-1]
        if np.ptp(own) > 0:
            place = (own - own.min()) / np.ptp(own)
        else:
            place = np.linspace(0.0, 1.0, len(own)) if len(own) > 1 else np.full(len(own), 0.5)
        p = np.append(0.1 + 0.8 * place, 0.5)
        return cls(low + wide * p, wide**2 * p * (1 - p))

    def means(self, total: Floats, count: Floats, labels: Ints | Floats) -> Floats:
        """Weighted means total/count of `labels` audited documents per bronze label (last axis), shrunk."""
        mean = np.divide(total, count, out=np.broadcast_to(self.mean, total.shape).copy(), where=count > 0)
        return np.asarray((BELIEF * self.mean + labels * mean) / (BELIEF + labels), np.float64)

    def squares(self, total: Floats, count: Floats, labels: Ints) -> Floats:
        """The same for mean squared errors."""
        mean = np.divide(total, count, out=self.square.copy(), where=count > 0)
        return np.asarray((BELIEF * self.square + labels * mean) / (BELIEF + labels), np.float64)


@dataclass(frozen=True, eq=False)
class AuditedLabels:
    """What is known of each item: bronze label (0…n_labels−1), gold value, audited or not, and with which probability.

    The last label, `n_labels − 1`, is "no bronze label". `value` is NaN and `inclusion` ignored where not audited.
    `prior` is what each label is taken to be worth before the audit; without it, labels without audited documents are
    worth the overall mean.
    """

    bronze: Ints
    n_labels: int
    value: Floats
    audited: NDArray[np.bool_]
    inclusion: Floats
    topic: Ints
    prior: Prior | None = None

    @property
    def n_audited(self) -> int:
        return int(self.audited.sum())

    @property
    def weight(self) -> Floats:
        """1/π of audited items, 0 for the others."""
        out = np.zeros(len(self.bronze))
        out[self.audited] = 1 / self.inclusion[self.audited]
        return out


def fit(labels: AuditedLabels, n_topics: int, *, cross: bool) -> Floats:
    """f per (topic, bronze label): the 1/π-weighted mean gold value given the label, shrunk towards the prior.

    `cross` leaves each topic's own labels out. Without a prior, a label without audited documents takes the overall
    mean.
    """
    seen = labels.audited
    weight, cell = labels.weight[seen], labels.topic[seen] * labels.n_labels + labels.bronze[seen]
    size = n_topics * labels.n_labels
    total = np.bincount(cell, weight * labels.value[seen], size).reshape(n_topics, labels.n_labels)
    count = np.bincount(cell, weight, size).reshape(n_topics, labels.n_labels)
    number = np.bincount(cell, minlength=size).reshape(n_topics, labels.n_labels)
    total, count, number = (x.sum(axis=0) - (x if cross else 0 * x) for x in (total, count, number))
    if labels.prior is not None:
        return labels.prior.means(total, np.where(number > 0, count, 0.0), number)
    everything = count.sum(axis=1, keepdims=True)
    overall = np.divide(
        total.sum(axis=1, keepdims=True), everything, out=np.zeros_like(everything), where=everything > 0
    )
    known = count > 1e-9 * np.maximum(everything, 1.0)
    mean = np.divide(total, count, out=np.zeros_like(total), where=known)
    return np.asarray(np.where(known, mean, overall), np.float64)


# ── rectified scores ─────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Rectified:
    """Per-topic rectified scores X (systems × topics), the plain predictions F, and the residual of every item."""

    scores: Floats
    predicted: Floats
    residual: Floats  # (v − f)/π of audited items, 0 elsewhere
    cross_fitted: bool

    def part(self, weights: Weights, labels: AuditedLabels) -> AuditPart:
        """What each audited document adds to the error, as the audited documents show it."""
        items = np.flatnonzero(labels.audited)
        return AuditPart(
            weights.dense(items) * (self.residual[items] * np.sqrt(1 - labels.inclusion[items])), weights.n_topics
        )


def rectify(
    weights: Weights, labels: AuditedLabels, *, covers_unjudged: bool = False, use_bronze: bool = True
) -> Rectified:
    """X and F of all systems on all topics.

    `covers_unjudged`: the audit also sampled documents without a bronze label, so they are predicted like any label;
    otherwise they are worth 0 here and bounds are the caller's business. `use_bronze=False` predicts the overall mean
    for every document: what the gold labels alone can say.
    """
    known = labels if use_bronze else _one_label(labels)
    cross = labels.n_audited < CROSS_FIT_BELOW and weights.n_topics > 1
    f = fit(known, weights.n_topics, cross=cross)
    prediction = f[known.topic, known.bronze]
    if not covers_unjudged:
        prediction = np.where((labels.bronze == labels.n_labels - 1) & ~labels.audited, 0.0, prediction)
    residual = np.zeros(len(prediction))
    seen = labels.audited
    residual[seen] = (labels.value[seen] - prediction[seen]) / labels.inclusion[seen]
    predicted = weights.scores(prediction)
    if covers_unjudged:
        predicted = predicted + weights.rest * f[:, known.n_labels - 1]
    return Rectified(predicted + weights.scores(residual), predicted, residual, cross)


def _one_label(labels: AuditedLabels) -> AuditedLabels:
    """Every document with one label: what the gold labels say alone."""
    return replace(labels, bronze=np.zeros(len(labels.bronze), np.int64), n_labels=1, prior=None)


def by_rectifying(
    measure: Linear, design: Design, weights: Weights, target: str, *, use_bronze: bool = True
) -> Estimate:
    """Rectified scores; topics that were not sampled are predicted where the audit is a sample of topics."""
    labels, everyone = design.labels(*design.values_of(measure)), design.everyones_inclusion(weights)
    covers = design.covers_unjudged
    if design.sampled is None:
        return rectified_estimate(weights, labels, everyone, target, covers_unjudged=covers, use_bronze=use_bronze)

    if design.given:  # topics were drawn whole: within them every document is audited
        labels = replace(labels, inclusion=np.ones(len(labels.inclusion)))
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
    labels: AuditedLabels,
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


# ── variances ────────────────────────────────────────────────────────────────────────────────────────────────────────
def smooth_audit_covariance(weights: Weights, labels: AuditedLabels, residual: Floats, inclusion: Floats) -> Floats:
    """The audit's part of the covariance, expected: n⁻² Σ_all w_s w_t σ²(J)(1 − π)/π, σ²(J) a label's mean (v − f)².

    Where two systems differ in few audited documents, what those few show is mostly luck: with none of them audited the
    shown variance is 0. The expected one uses every audited document of the same label. `inclusion` is needed for all
    items here; those that could not be audited (NaN) are left out.
    """
    spread = squared_errors(labels, residual)
    pi = inclusion[weights.item]
    usable = np.isfinite(pi) & (pi > 0)
    scale = np.zeros(len(pi))
    scale[usable] = np.sqrt(spread[labels.bronze[weights.item[usable]]] * (1 - pi[usable]) / pi[usable])
    return products(replace(weights, weight=weights.weight * scale)) / weights.n_topics**2


def squared_errors(labels: AuditedLabels, residual: Floats) -> Floats:
    """Mean (v − f)² of every bronze label, shrunk towards the prior where there is one."""
    n, seen = labels.n_labels, labels.audited
    label, weight = labels.bronze[seen], labels.weight[seen]
    square = (residual[seen] * labels.inclusion[seen]) ** 2
    count = np.bincount(label, minlength=n)
    size, total = (np.bincount(label, x, n).astype(np.float64) for x in (weight, weight * square))
    if labels.prior is not None:
        return labels.prior.squares(total, size, count)
    overall = float((weight * square).sum() / weight.sum()) if len(weight) else 0.0
    spread = np.divide(total, size, out=np.full(n, overall), where=count > 1)
    return np.asarray(np.where(count > 1, spread * count / np.maximum(count - 1, 1), overall), np.float64)


def odds_of_the_others(inclusion: Floats, size: Floats, asked: Floats, near: int = NEAR) -> Floats:
    """Mean odds (1 − π)/π against being chosen, of unchosen documents with pulls `asked`, from chosen ones near them.

    A chosen document stands for (1 − π)/π unchosen ones like it, so the mean is Σ odds²/Σ odds; a plain mean would be
    that of documents that are easily chosen. Half of all documents have π = 0.5 and half 0.1, five times as many of
    the first are chosen, and of the others the odds are (0.5·1 + 0.9·9)/1.4 on average:

    >>> odds_of_the_others(np.array([0.5] * 5 + [0.1]), np.zeros(6), np.zeros(1)).round(3).tolist()
    [6.143]
    """
    order = np.argsort(size, kind="stable")
    ladder, odds = size[order], 1 / inclusion[order] - 1
    width = min(near, len(ladder))
    last = np.searchsorted(ladder, asked)
    start = np.clip(last[:, None] + np.arange(-width, 1), 0, len(ladder) - width)
    half_window = np.maximum(asked[:, None] - ladder[start], ladder[start + width - 1] - asked[:, None]).min(axis=1)
    half_window = half_window + 1e-9 * np.abs(ladder).max()  # equal pulls belong together, rounding apart
    window = np.searchsorted(ladder, asked - half_window), np.searchsorted(ladder, asked + half_window, side="right")
    total, square = (np.concatenate([[0.0], np.cumsum(x)]) for x in (odds, odds**2))
    stood_for = total[window[1]] - total[window[0]]
    out: Floats = np.zeros(len(asked))
    np.divide(square[window[1]] - square[window[0]], stood_for, out=out, where=stood_for > 0)
    return out


def largest_share(weights: Weights, labels: AuditedLabels) -> float:
    """The largest w/π of one audited document, as a share of Σ|w|/π over all of them (mean over systems)."""
    items = np.flatnonzero(labels.audited)
    if not len(items):
        return 0.0
    size = np.abs(weights.dense(items)).mean(axis=0) / labels.inclusion[items]
    return float(size.max() / size.sum()) if size.sum() > 0 else 0.0
