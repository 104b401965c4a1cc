"""Corrected scores of one measure by one method: per-topic scores, their means, and the means' joint covariance.

What estimators share: covariances of means and contrasts, the audit's part in them, and how a refusal looks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.weights import Weights
from dissensus.measures.measure import Measure
from dissensus.measures.ties import expected_scores
from dissensus.stats.intervals import quantiles

if TYPE_CHECKING:
    from dissensus.inference.correction.design import Design
    from dissensus.inference.correction.diagnosis import JudgeFinding
    from dissensus.inference.correction.matrix import Solved
    from dissensus.inference.correction.pooled import Pooled
    from dissensus.inference.correction.rectified import Rectified


FEWEST = 3.0  # equally telling labels; fewer bear no interval


class Method(StrEnum):
    """How scores were got; as a string, its name in tables."""

    NAIVE = "naive"
    RECTIFIED = "rectified"
    GOLD_ONLY = "gold only"
    CONFUSION = "confusion"
    SEPARATE = "confusion, separate"
    PER_TOPIC = "per-topic"
    IMPUTATION = "imputation"
    IMPUTED = "imputation, not rectified"
    MODEL = "modelled ideals"
    RELEVANCE = "modelled relevance"
    RATIO = "ratio"
    POOLED = "pooled"
    NONE = "none"

    @property
    def by_matrix(self) -> bool:
        """Through a confusion matrix: the judge's calibration matters."""
        return self in (Method.CONFUSION, Method.SEPARATE)


def contrast(covariance: Floats, a: Ints, b: Ints) -> Floats:
    """Var(θ_a − θ_b), element by element; 0 where only rounding is left, as between copies of a system."""
    both = covariance[a, a] + covariance[b, b]
    found = np.asarray(both - 2 * covariance[a, b], np.float64)
    return np.where(np.abs(found) < 1e-13 * both, 0.0, found)


def covariance_population(scores: Floats) -> Floats:
    """Covariance of mean_q X over systems, topics being a sample of all topics: cov_q(X)/n."""
    n = scores.shape[1]
    if n < 2:
        return np.full((len(scores), len(scores)), np.nan)
    centred = scores - scores.mean(axis=1, keepdims=True)
    return np.asarray(centred @ centred.T / ((n - 1) * n), np.float64)


@dataclass(frozen=True, eq=False)
class AuditPart:
    """The audit's part in the error of rectified scores, and how many equally telling labels are behind it.

    Each audited document adds a_s = w_s(v − f)/π to a score's sum over topics, with variance b² = a²(1 − π); `root` is
    b of every system (rows) and audited document, for means over `n_topics` topics. Where a few documents bring most of
    the sum, it knows its own variance as badly as so few numbers do: Student's t has n_eff = (Σ b²)²/Σ b⁴ degrees of
    freedom (at least 1) where the variance is taken from them, and below 3 no interval is given.
    """

    root: Floats
    n_topics: float

    @classmethod
    def of(cls, weights: Floats, residual: Floats, pi: Floats, n_topics: float, *, fixed: bool = False) -> AuditPart:
        """From the audited documents' weights (systems × documents), residuals v − f and chances.

        `fixed`: a sample of fixed size, whose terms vary around their mean (Hájek 1964), e = w(v − f)/π:

            Σ (1 − π)·n/(n − 1)·(e − ē)(e − ē)ᵀ,   ē weighted by 1 − π, n the documents that were not certain.
        """
        term, left = weights * (residual / pi), 1 - pi
        drawn = int((left > 0).sum())
        if fixed and drawn > 1:
            centre = term @ left / left.sum()
            return cls((term - centre[:, None]) * np.sqrt(left * drawn / (drawn - 1)), n_topics)
        return cls(term * np.sqrt(left), n_topics)

    @cached_property
    def covariance(self) -> Floats:
        """n⁻² Σ_audited w_s w_t (v − f)²(1 − π)/π²."""
        return np.asarray(self.root @ self.root.T / self.n_topics**2, np.float64)

    @cached_property
    def _moments(self) -> tuple[Floats, Floats]:
        """Σ b_s³b_t and Σ b_s²b_t² of every two systems."""
        square = self.root**2
        return (square * self.root) @ self.root.T, square @ square.T

    def effective_labels(self) -> Floats:
        """n_eff of every system's score; infinite where the audit leaves nothing to chance."""
        second, fourth = (self.root**2).sum(axis=1), (self.root**4).sum(axis=1)
        return _ratio(second, fourth)

    def effective_labels_between(self, a: Ints, b: Ints) -> Floats:
        """n_eff of θ_a − θ_b, element by element; infinite where the audited documents count equally for both."""
        cubic, even = self._moments
        own = np.diag(even)
        second = contrast(self.covariance, a, b) * self.n_topics**2
        fourth = own[a] + own[b] - 4 * (cubic[a, b] + cubic[b, a]) + 6 * even[a, b]
        least = 1e-12 * (own[a] + own[b])  # rounding
        return _ratio(np.where(fourth > least, second, 0.0), np.where(fourth > least, fourth, 0.0))


def few_labels(effective: float) -> str:
    """Why there is no interval, with what to do instead.

    >>> few_labels(0.0)
    'no audited document tells anything about it; audit more documents'
    """
    if effective <= 0:
        return "no audited document tells anything about it; audit more documents"
    return (
        f"the audited documents amount to {effective:.1f} equally telling ones, and an interval needs {FEWEST:g}; "
        "audit more documents"
    )


def effective_number(terms: Floats) -> float:
    """n_eff = (Σb²)²/Σb⁴ of one row of terms; infinite where all are 0."""
    square = terms**2
    return float(_ratio(np.array([square.sum()]), np.array([(square**2).sum()]))[0])


def _ratio(second: Floats, fourth: Floats) -> Floats:
    out: Floats = np.full(second.shape, np.inf)
    np.divide(second**2, fourth, out=out, where=fourth > 0)
    return out


@dataclass(frozen=True, eq=False)
class Estimate:
    """Corrected scores of one measure by one method; `theta` is NaN where `why_not` refuses them."""

    method: Method
    assumption: str
    scores: Floats  # systems × topics
    theta: Floats
    covariance: Floats
    df: float
    why_not: str = ""
    notes: tuple[str, ...] = ()
    rectified: Rectified | None = None
    solved: Solved | None = None
    mass: Floats | None = None  # corrected weight per gold class, systems × classes
    calibration_part: Floats | None = None  # the part of the covariance that the calibration brings
    by_label: Floats | None = None  # weight per bronze label, systems × topics × labels
    floor: Floats | None = None  # the part of the covariance that auditing only some documents brings, at least
    least: tuple[Floats, ...] = ()  # further covariances below which no variance is taken to be
    least_between: Floats | None = None  # the same for differences alone
    df_part: float = np.nan  # degrees of freedom behind the gold labels' part
    df_scores: float | None = None  # the same for single scores, where that differs
    audit: AuditPart | None = None  # what each audited document brings, where that is known
    sampling: Floats | None = None  # the covariance of θ that the audit brings, for these topics
    common: Floats | None = None  # variance of single scores that all systems share: differences do not have it
    model: Floats | None = None  # what a model of gold grades says alone, where scores rest on one
    predicted: Floats | None = None  # the same by topic, systems × topics
    pool: Pooled | None = None  # what pooling found, where scores are pooled
    parts: tuple[Estimate, ...] = ()  # one per calibration, where systems have calibrations of their own
    part_of: tuple[tuple[int, int], ...] = ()  # then, by system: which part, and which row of it

    def together(self, a: int, b: int) -> tuple[Estimate, int, int] | None:
        """The estimate in which one calibration served both systems, and their rows; None if each had its own."""
        if not self.parts:
            return self, a, b
        (part, i), (other, j) = self.part_of[a], self.part_of[b]
        return (self.parts[part], i, j) if part == other else None

    def why_not_of(self, system: int) -> str:
        """Why this system has no corrected score; empty where it has one."""
        if self.why_not or not self.parts:
            return self.why_not
        return self.parts[self.part_of[system][0]].why_not

    @property
    def se(self) -> Floats:
        """Standard errors of the means."""
        return np.asarray(np.sqrt(self._variance + (0.0 if self.common is None else self.common)), np.float64)

    @property
    def _variance(self) -> Floats:
        """Variances of the means, without what all of them share."""
        return np.asarray(np.max([np.diag(c) for c in self._covariances()], axis=0), np.float64)

    def se_between(self, a: Ints, b: Ints) -> Floats:
        """Standard errors of θ_a − θ_b, element by element."""
        all_of_them = self._covariances() + (() if self.least_between is None else (self.least_between,))
        return np.asarray(np.sqrt(np.max([contrast(c, a, b) for c in all_of_them], axis=0).clip(0.0)), np.float64)

    def _covariances(self) -> tuple[Floats, ...]:
        return (self.covariance, *self.least, *(() if self.floor is None else (self.floor,)))

    def df_between(self, a: Ints, b: Ints) -> Floats:
        """Degrees of freedom of θ_a − θ_b, after Satterthwaite: topics and gold labels are counted apart.

        With few topics but many gold labels, most of the variance may come from the labels and is well known.
        """
        labels = [contrast(c, a, b) for c in self._label_parts()]
        return self._df(self.se_between(a, b) ** 2, labels, self.effective_labels_between(a, b), self.df_part)

    def df_one_sided(self, a: Ints, b: Ints) -> Floats:
        """The same where one side alone is asked: gold labels count as n_eff, the equally telling ones among them.

        Where a few documents bring most of the variance, an estimate leans to one side and its variance with it. Both
        sides together hardly notice. One side alone does.
        """
        if self.audit is None:
            return self.df_between(a, b)
        labels = np.max([contrast(c, a, b) for c in self._label_parts()] or [np.zeros(len(a))], axis=0)
        whole, behind = self.se_between(a, b) ** 2, np.maximum(self.effective_labels_between(a, b), 1.0)
        below = np.maximum(whole - labels, 0.0) ** 2 / self.df + labels**2 / behind
        found = np.divide(whole**2, below, out=np.full(whole.shape, np.inf), where=below > 0)
        return np.asarray(np.minimum(found, self.df_between(a, b)), np.float64)

    def half_between(self, a: Ints, b: Ints, level: float) -> Floats:
        """Half widths of the intervals of θ_a − θ_b."""
        return quantiles(level, self.df_between(a, b)) * self.se_between(a, b)

    def df_of(self) -> Floats:
        """The same for every system's mean."""
        part = self.df_part if self.df_scores is None else self.df_scores
        return self._df(self._variance, [np.diag(c) for c in self._label_parts()], self.effective_labels(), part)

    def effective_labels(self) -> Floats:
        """How many equally telling audited documents are behind each score (see `AuditPart`); infinite if unknown."""
        if self.audit is None:
            return np.full(len(self.theta), np.inf if self.df_scores is None else self.df_scores)
        return self._open(self.audit.effective_labels(), np.diag(self._label_parts()[0]))

    def effective_labels_between(self, a: Ints, b: Ints) -> Floats:
        """The same for differences."""
        if self.audit is None:
            return np.full(np.shape(a), np.inf)
        return self._open(self.audit.effective_labels_between(a, b), contrast(self._label_parts()[0], a, b))

    @staticmethod
    def _open(effective_labels: Floats, left: Floats) -> Floats:
        """None (0) where no audited document tells anything, but unaudited ones could."""
        return np.asarray(np.where(np.isinf(effective_labels) & (left > 1e-15), 0.0, effective_labels), np.float64)

    @property
    def too_few(self) -> NDArray[np.bool_]:
        """Scores behind which there are too few equally telling audited documents for an interval."""
        return np.asarray(self.effective_labels() < FEWEST)

    def _label_parts(self) -> tuple[Floats, ...]:
        """What the gold labels bring to the covariance: the larger of these."""
        if self.audit is not None and self.floor is not None:
            return self.floor, self.audit.covariance
        part = self.floor if self.floor is not None else self.calibration_part
        return () if part is None or not (self.df > 0 and self.df_part > 0) else (part,)

    def _df(self, whole: Floats, parts: list[Floats], effective_labels: Floats, part: float) -> Floats:
        if not parts:
            return np.full(whole.shape, self.df)
        labels = np.max(parts, axis=0)
        effective = np.full(whole.shape, part)
        if self.audit is not None and self.model is not None:  # half of what was shown, half of what is expected
            labels, shown = parts
            share = np.divide(shown / 2, labels, out=np.zeros_like(labels), where=labels > 0)
            effective = np.clip(effective_labels / np.maximum(share, 1e-9) ** 2, 1.0, max(part, 1.0))
        elif self.audit is not None:  # what all labels say is known better than what a few of them show
            expected, shown = parts
            effective = np.where(shown >= expected, np.clip(effective_labels, 1.0, max(part, 1.0)), part)
        topics = np.maximum(whole - labels, 0.0)
        if self.floor is not None:  # the topics' part is what is left of a variance that held the labels' part, too
            topics = topics + labels / 2
        below = topics**2 / self.df + labels**2 / effective
        found = np.divide(whole**2, below, out=np.full(whole.shape, np.inf), where=below > 0)
        known = np.where(below > 0, np.maximum(found, np.minimum(self.df, effective)), self.df)
        return np.asarray(known, np.float64)


def undefined(measure: Measure, shape: tuple[int, ...], method: Method) -> Estimate:
    """No estimate, in words: bronze or gold labels leave the measure undefined."""
    return refused(
        method,
        shape,
        f"{measure} is undefined on almost every topic: nothing is relevant to it in the bronze or in the gold labels",
    )


def refused(
    method: Method, shape: tuple[int, ...], why: str, *, assumption: str = "", solved: Solved | None = None
) -> Estimate:
    """No estimate, and the sentence that says why; `shape` is systems × topics."""
    s = shape[0]
    return Estimate(
        method, assumption, np.full(shape, np.nan), np.full(s, np.nan), np.full((s, s), np.nan), np.nan, why,
        solved=solved,
    )  # fmt: skip


def naive(measure: Measure, design: Design) -> Floats:
    """The scores of the bronze labels as they are, systems × topics."""
    if design.policies.ties == "expected":
        return np.asarray(expected_scores(measure, design.joined)[0][0], np.float64)
    return settled(measure, np.asarray(measure.scores(design.joined)[0], np.float64), design)


def settled(measure: Measure, scores: Floats, design: Design) -> Floats:
    """Scores with topics where the measure is undefined as the policy says: left so, or 0."""
    return np.nan_to_num(scores, nan=measure.when_empty) if design.policies.empty == "zero" else scores


@dataclass(frozen=True, eq=False)
class MeasureResult:
    """One measure: its weights if it is linear, naive scores, the estimate and why this method, and what is beside it.

    `refused` is why single scores are absent; `sensitivity` the confusion-matrix result where the rectified one is the
    answer; `gold_only` what the gold labels would say alone; `bounds` how far unlabelled documents could move means.
    """

    name: str
    measure: Measure
    weights: Weights | None
    naive: Floats
    estimate: Estimate
    why: str
    findings: tuple[JudgeFinding, ...]
    refused: str = ""
    sensitivity: Estimate | None = None
    gold_only: Estimate | None = None
    bounds: Floats | None = None
