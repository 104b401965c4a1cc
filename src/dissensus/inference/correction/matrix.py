"""Scores corrected through the judge's confusion matrix.

If every document's bronze label depends only on its gold grade, with c_ij = P(bronze j | gold i), then gains h with
C·h = v make the bronze labels' score an unbiased estimate of the gold one: E[h_J | G = i] = Σ_j c_ij h_j = v_i. The
corrected DCG is ordinary DCG with gains h (eq. 18 of the correction paper). With u_s the mean weight per bronze label
and m_s the gold weights (Cᵀ·m = u), the error of C enters as

    Cov(θ_a, θ_b) = cov_q(X_a, X_b)/n + Σ_j m_aj m_bj V_j,

V_j being the variance of the mean of h_J over the calibration documents of gold grade j. That holds for calibration
from elsewhere. Audited documents that are scored themselves move both parts, and in opposite directions: a label that
errs upwards raises the score, and the error rates by which it is lowered. So what a topic does to the mean,
(X_q − θ)/n, and to the calibration, Ψ_q, are taken together: Cov(θ_a, θ_b) = Σ_q [(X_aq − θ_a)/n − Ψ_aq]·[… of b].

More bronze labels than gold grades leave freedom in h: the solution with the smallest second moment is taken.

When not to use it: if the judge errs more on one system's documents than on another's, these intervals do not cover.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.errors import Note
from dissensus.inference.correction.estimate import Estimate, Method, covariance_population, refused
from dissensus.inference.correction.weights import Weights
from dissensus.measures.measure import Linear

if TYPE_CHECKING:
    from dissensus.inference.correction.design import Design
    from dissensus.judging.confusion.api import Confusion

WORST = 100.0  # condition number above which a matrix is not inverted
AS_COMMON = "this assumes that they are as common among the calibration documents as among the scored ones"
ALIKE = "the judge errs equally on all systems' documents, at all ranks, on all topics"


@dataclass(frozen=True, eq=False)
class Documents:
    """Calibration documents: gold class, bronze label, 1/π and topic of each; those of weight 0 do not count.

    `scored`: they are among the scored documents, and `topic` numbers the scored topics.
    """

    gold: Ints
    bronze: Ints
    weight: Floats
    topic: Ints
    scored: bool = False

    @property
    def n_topics(self) -> int:
        return len(np.unique(self.topic[self.weight > 0]))


@dataclass(frozen=True, eq=False)
class Calibration:
    """What is known of the judge: C, gold classes × bronze labels, and what it was learned from.

    `documents` where the calibration is a set of documents; else `counts`, the row counts of a matrix from elsewhere;
    neither where the matrix is taken as known.
    """

    matrix: Floats
    counts: Floats | None = None
    documents: Documents | None = None

    @classmethod
    def from_documents(cls, documents: Documents, n_grades: int, n_labels: int) -> Calibration:
        """C from audited documents: c_ij = Σ_{G=i,J=j} π⁻¹ / Σ_{G=i} π⁻¹; rows without documents are NaN."""
        cell = documents.gold * n_labels + documents.bronze
        table = _sums(cell, documents.weight, n_grades * n_labels).reshape(n_grades, n_labels)
        return cls(_shares(table), None, documents)

    def n_per_grade(self) -> Floats | None:
        """Calibration documents per gold class; None for a matrix taken as known."""
        if self.documents is not None:
            d = self.documents
            return np.bincount(d.gold[d.weight > 0], minlength=len(self.matrix)).astype(np.float64)
        return self.counts

    def merged(self, rows: Ints, columns: Ints) -> Calibration:
        """The same calibration with gold classes and bronze labels merged: old class i becomes rows[i]."""
        n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
        if self.documents is not None:
            d = self.documents
            fewer = replace(d, gold=rows[d.gold], bronze=columns[d.bronze])
            return Calibration.from_documents(fewer, n_rows, n_columns)
        size = np.ones(len(self.matrix)) if self.counts is None else self.counts
        table = np.zeros((n_rows, n_columns))
        known = ~np.isnan(self.matrix[:, 0])
        np.add.at(table, (rows[known, None], columns[None, :]), (self.matrix * size[:, None])[known])
        return Calibration(_shares(table), None if self.counts is None else _sums(rows, self.counts, n_rows))


def _shares(table: Floats) -> Floats:
    total = table.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(table, total, out=np.full_like(table, np.nan), where=total > 0), np.float64)


def _sums(code: Ints, weight: Floats, size: int) -> Floats:
    return np.bincount(code, weight, size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Solved:
    """Corrected gains h by bronze label, or the sentence why there are none."""

    gains: Floats | None
    values: Floats
    calibration: Calibration
    columns: Ints  # merged label of every bronze label
    condition: float
    why_not: str = ""
    notes: tuple[str, ...] = ()
    bronze_values: Floats | None = None  # what the measure gives the bronze labels, where both judges use one scale

    def as_binary(self) -> Calibration | None:
        """The judge as one who says relevant or not, for a measure that asks no more; None for other measures."""
        worth = np.unique(self.values)
        if len(worth) != 2 or self.bronze_values is None or len(self.bronze_values) != self.calibration.matrix.shape[1]:
            return None
        rows, columns = (self.values > worth[0]).astype(np.int64), (self.bronze_values > worth[0]).astype(np.int64)
        return self.calibration.merged(rows, columns) if columns.any() and not columns.all() else None


def solve(calibration: Calibration, values: Floats, frequency: Floats, bronze_values: Floats | None) -> Solved:
    """Gains h with C·h = v, merging what has to be merged, or a sentence.

    `frequency` is the weight of each bronze label in the scored documents (labels never seen are left out);
    `bronze_values` are the bronze labels' own values where they are on the same scale, used to merge labels.
    """
    columns = np.arange(calibration.matrix.shape[1])
    notes: list[str] = []
    unknown = np.isnan(calibration.matrix[:, 0])
    # a gold grade that the calibration never met joins grades of equal value; otherwise it cannot be corrected for
    by_value = np.unique(values, return_inverse=True)[1]
    if unknown.any():
        lost = [i for i in np.flatnonzero(unknown) if not (~unknown & (values == values[i])).any()]
        if lost:
            grades = ", ".join(map(str, lost))
            return Solved(
                None, values, calibration, columns, np.inf,
                f"the calibration holds no document of gold grade {grades}, so the judge's behaviour there is unknown",
            )  # fmt: skip
        notes.append(f"gold grades of equal value were merged because the calibration lacks some of them; {AS_COMMON}.")
        calibration = calibration.merged(by_value, columns)
        values = np.unique(values)
    plan = _try(calibration.matrix, values, frequency)
    if plan[0] is None and len(np.unique(values)) < len(values):
        calibration, values = calibration.merged(by_value, columns), np.unique(values)
        notes.append(f"gold grades of equal value were merged (the full matrix cannot be inverted); {AS_COMMON}.")
        plan = _try(calibration.matrix, values, frequency)
    if plan[0] is None and bronze_values is not None and len(values) == 2:
        columns = (bronze_values > values.min()).astype(np.int64)
        if columns.any() and not columns.all():
            calibration = calibration.merged(np.arange(2), columns)
            notes.append("bronze labels were merged into relevant and not (the full matrix cannot be inverted).")
            plan = _try(calibration.matrix, values, _sums(columns, frequency, int(columns.max()) + 1))
    gains, condition, why = plan
    if gains is not None and len(np.unique(values)) < len(values):
        notes.append(
            f"{len(values)} gold grades have a row each, also those that the measure counts equally; where gold labels "
            f"are few, merge grades in both judges' labels first ({AS_COMMON})."
        )
    return Solved(gains, values, calibration, columns, condition, why, tuple(notes), bronze_values)


def _try(matrix: Floats, values: Floats, frequency: Floats) -> tuple[Floats | None, float, str]:
    """(gains by label, condition number, why not): the solution of C·h = v with the smallest Σ frequency·h²."""
    k, n_labels = matrix.shape
    used = (frequency > 0) | (np.nan_to_num(matrix).sum(axis=0) > 0)
    c = matrix[:, used]
    if c.shape[1] < k:
        return None, np.inf, (
            f"the bronze labels take {c.shape[1]} values, too few to recover {k} gold grades of different value"
        )  # fmt: skip
    singular = np.linalg.svd(c, compute_uv=False)
    condition = float(singular[0] / singular[-1]) if singular[-1] > singular[0] * 1e-15 else np.inf
    if condition > WORST:
        if not np.isfinite(condition) or condition > 1e12:
            return None, condition, "the judge's confusion matrix is singular: it does not tell some gold grades apart"
        return None, condition, (
            f"the judge's confusion matrix has condition {condition:,.0f} (above {WORST:g}): it hardly tells some gold "
            "grades apart"
        )  # fmt: skip
    if c.shape[1] == k:
        solution = np.linalg.solve(c, values)
    else:
        share = np.maximum(frequency[used], 1e-6 * frequency.sum())
        scaled = c / share
        solution = scaled.T @ np.linalg.solve(c @ scaled.T, values)
    gains = np.zeros(n_labels)
    gains[used] = solution
    return gains, condition, ""


def gold_mass(calibration: Calibration, mass: Floats) -> Floats:
    """m with Cᵀ·m = u, the corrected weight per gold class: systems × classes, from systems × labels."""
    return np.asarray(np.linalg.lstsq(calibration.matrix.T, mass.T, rcond=None)[0].T, np.float64)


def influence(calibration: Calibration, mass: Floats, gains: Floats, values: Floats) -> Floats:
    """ψ, systems × calibration documents: how far each document's label moves each mean, to first order."""
    d = calibration.documents
    assert d is not None
    total = _sums(d.gold, d.weight, len(values))
    share = np.divide(d.weight, total[d.gold], out=np.zeros(len(d.weight)), where=d.weight > 0)
    return np.asarray(mass[:, d.gold] * (share * (gains[d.bronze] - values[d.gold])), np.float64)


def clustered_influence(psi: Floats, documents: Documents, n_topics: int | None = None) -> Floats:
    """ψ summed by topic, with the factor √(Q/(Q−1)) that makes the sum of squares unbiased for Q topics.

    One column per topic of the documents, or per scored topic where there are `n_topics` of them.
    """
    topics, code = np.unique(documents.topic, return_inverse=True)
    if n_topics is not None:
        topics, code = np.arange(n_topics), documents.topic
    out = np.zeros((len(psi), len(topics)))
    np.add.at(out.T, code, psi.T)
    q = documents.n_topics
    return np.asarray(out * np.sqrt(q / (q - 1) if q > 1 else 1.0), np.float64)


def joint_covariance(scores: Floats, psi: Floats) -> Floats:
    """Σ_q z_aq z_bq, z the pull of a scored topic on the means and on the calibration (`psi`, systems × topics)."""
    n = scores.shape[1]
    z = (scores - scores.mean(axis=1, keepdims=True)) / np.sqrt(n * (n - 1)) - psi
    return np.asarray(z @ z.T, np.float64)


def calibration_covariance(
    calibration: Calibration, mass: Floats, gains: Floats, values: Floats, *, clustered: bool
) -> Floats:
    """Σ_j m_aj m_bj V_j over systems; summed by topic of the calibration documents where `clustered`."""
    n_systems = len(mass)
    d = calibration.documents
    if d is not None:
        psi = influence(calibration, mass, gains, values)
        psi = clustered_influence(psi, d) if clustered else psi
        return psi @ psi.T
    if calibration.counts is None:
        return np.zeros((n_systems, n_systems))
    spread = np.maximum(calibration.matrix @ gains**2 - values**2, 0.0)
    v = np.divide(spread, calibration.counts, out=np.zeros_like(spread), where=calibration.counts > 0)
    return (mass * v) @ mass.T


# ── scores of a linear measure ───────────────────────────────────────────────────────────────────────────────────────
def calibration_of(design: Design, confusion: Confusion | None) -> tuple[Calibration | None, str]:
    """The judge's calibration, from a given matrix or from the audited documents; or why there is none."""
    n_grades, n_labels = len(design.gold_scale), design.n_labels
    if confusion is not None:
        if len(confusion) != len(design.bronze_scale):
            return None, (
                f"the confusion matrix has {len(confusion)} grades, the judgments' scale {design.bronze_scale} has "
                f"{len(design.bronze_scale)}"
            )  # fmt: skip
        matrix = np.hstack([confusion.matrix, np.zeros((len(confusion), 1))])
        matrix[np.isnan(confusion.matrix[:, 0])] = np.nan
        return Calibration(matrix, confusion.n), ""
    documents = design.documents()
    if documents is None:
        return None, "no audited document has a bronze label, so nothing is known of the judge"
    return Calibration.from_documents(documents, n_grades, n_labels), ""


def by_confusion(measure: Linear, design: Design, weights: Weights, confusion: Confusion | None) -> Estimate:
    """Scores corrected through the confusion matrix; `why_not` says in words where that is impossible."""
    mass = label_mass(design, weights)
    calibration, why = calibration_of(design, confusion)
    if calibration is None:
        return refused(Method.CONFUSION, mass.shape[:2], why, assumption=ALIKE)
    return matrix_estimate(mass, calibration, *comparable_values(measure, design))


def label_mass(design: Design, weights: Weights) -> Floats:
    """Weight per bronze label, systems × topics × labels."""
    mass = weights.mass(design.bronze, design.n_labels)
    if design.covers_unjudged:
        mass[:, :, -1] += weights.rest
    else:
        mass[:, :, -1] = 0.0  # no label, no value: bounds are given instead
    return mass


def comparable_values(measure: Linear, design: Design) -> tuple[Floats, Floats | None]:
    """(values by gold level, values by bronze label where both judges use the same grades)."""
    values, bronze_values = design.values_of(measure)
    return values, bronze_values if len(design.bronze_scale) == len(design.gold_scale) else None


def matrix_estimate(
    mass: Floats, calibration: Calibration, values: Floats, bronze_values: Floats | None = None
) -> Estimate:
    """Means corrected through the matrix and their covariance, from arrays; `mass` is systems × topics × labels."""
    solved = solve(calibration, values, mass.mean(axis=1).sum(axis=0), bronze_values)
    if solved.gains is None:
        return refused(Method.CONFUSION, mass.shape[:2], solved.why_not, assumption=ALIKE, solved=solved)
    if solved.calibration.matrix.shape[1] != mass.shape[2]:  # labels were merged
        mass = _merge_labels(mass, solved.columns)
    scores = mass @ solved.gains
    gold = gold_mass(solved.calibration, mass.mean(axis=1))
    documents = solved.calibration.documents
    clustered = documents is not None and documents.n_topics > 1
    part = calibration_covariance(solved.calibration, gold, solved.gains, solved.values, clustered=clustered)
    covariance = covariance_population(scores) + part
    notes = list(solved.notes)
    if documents is not None and documents.scored and clustered:
        psi = influence(solved.calibration, gold, solved.gains, solved.values)
        covariance = joint_covariance(scores, clustered_influence(psi, documents, mass.shape[1]))
        notes.append("audited documents are scored, too: variances are summed by topic, over scores and calibration.")
    elif clustered:
        notes.append("the calibration's variance is summed by topic (robust to clustered calibration documents).")
    elif documents is None and solved.calibration.counts is None:
        notes.append(Note("matrix.no-counts"))
    return Estimate(
        Method.CONFUSION,
        ALIKE,
        scores,
        scores.mean(axis=1),
        covariance,
        float(mass.shape[1] - 1),
        notes=tuple(notes),
        solved=solved,
        mass=gold,
        calibration_part=part,
        by_label=mass,
        df_part=_calibration_df(solved.calibration),
    )


def _calibration_df(calibration: Calibration) -> float:
    """Independent pieces behind the matrix: topics of the calibration documents, or documents."""
    if calibration.documents is not None:
        topics = calibration.documents.n_topics
        return float((topics if topics > 1 else int((calibration.documents.weight > 0).sum())) - 1)
    return float("nan") if calibration.counts is None else float(calibration.counts.sum() - 1)


def _merge_labels(mass: Floats, columns: Ints) -> Floats:
    out = np.zeros((*mass.shape[:2], int(columns.max()) + 1))
    for old, new in enumerate(columns.tolist()):
        out[:, :, new] += mass[:, :, old]
    return out
