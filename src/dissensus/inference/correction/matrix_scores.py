"""Linear measures corrected through the judge's confusion matrix, from the audit or from elsewhere."""

from __future__ import annotations

import numpy as np

from dissensus.errors import Note
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, refused
from dissensus.inference.correction.linear_scores import values_of
from dissensus.inference.correction.matrix import (
    Calibration,
    calibration_covariance,
    clustered_influence,
    gold_mass,
    influence,
    joint_covariance,
    solve,
)
from dissensus.inference.correction.rectified import covariance_population
from dissensus.inference.correction.weights import Floats, Ints, Weights
from dissensus.judges.confusion.api import Confusion
from dissensus.measures.measure import Linear

ALIKE = "the judge errs equally on all systems' documents, at all ranks, on all topics"


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
    values, bronze_values = values_of(measure, design)
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
