"""One measure's corrected scores, by each of the ways there are.

- `rectified`: linear measures, an audit of single documents (or of whole topics) among the scored ones;
- `confusion`: linear measures, the judge's confusion matrix, from the audit or from elsewhere;
- `per-topic`: any measure, a random sample of topics fully audited;
- `imputation`: any measure, single documents audited; model-based.

Every way gives an `Estimate`: per-topic scores, their means, and the joint covariance of the means over systems.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.data.scale import UNJUDGED
from dissensus.inference.design import Design
from dissensus.inference.imputation import impute
from dissensus.inference.matrix import (
    Calibration,
    Solved,
    calibration_covariance,
    gold_mass,
    solve,
)
from dissensus.inference.rectified import (
    Rectified,
    covariance_population,
    covariance_these_topics,
    rectify,
)
from dissensus.inference.topicwise import rectify_topics
from dissensus.inference.weights import Floats, Ints, Weights
from dissensus.judges.confusion import Confusion
from dissensus.measures.measure import Linear, Measure

FEW_TOPICS = 5  # fully audited topics below which per-topic rectification is not offered


@dataclass(frozen=True, eq=False)
class Estimate:
    """Corrected scores of one measure by one method; `theta` is NaN where `why_not` refuses them."""

    method: str
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

    @property
    def se(self) -> Floats:
        return np.sqrt(np.diag(self.covariance))


def values_of(measure: Linear, design: Design) -> tuple[Floats, Floats]:
    """(values by gold level, values by bronze label with 0 for 'no label')."""
    return measure.values(design.gold_scale), np.append(measure.values(design.bronze_scale), 0.0)


def naive(measure: Measure, design: Design) -> Floats:
    """The bronze labels taken at their word, systems × topics."""
    return np.asarray(measure.scores(design.joined)[0], np.float64)


# ── linear measures ──────────────────────────────────────────────────────────────────────────────────────────────────
def by_rectifying(
    measure: Linear, design: Design, weights: Weights, target: str, *, use_bronze: bool = True
) -> Estimate:
    """Rectified scores; topics that were not sampled are predicted where the audit is a sample of topics."""
    values, _ = values_of(measure, design)
    labels = design.labels(values)
    made = rectify(weights, labels, covers_unjudged=design.covers_unjudged, use_bronze=use_bronze)
    name = "rectified" if use_bronze else "gold only"
    notes: tuple[str, ...] = ()
    if made.cross_fitted:
        notes = (f"predictions are cross-fitted by topic: only {labels.n_audited} audited labels.",)
    if design.sampled is not None:
        by_topic = rectify_topics(made.predicted, made.scores, design.sampled)
        m = int(design.sampled.sum())
        said = f"the audit is a sample of {m} of {weights.n_topics} topics; Student's t with {by_topic.df:g} degrees."
        return Estimate(
            name, "audited topics are a random sample of the topics", by_topic.scores, by_topic.theta,
            by_topic.covariance, by_topic.df, "", (*notes, said), made,
        )  # fmt: skip
    if target == "these_topics":
        covariance, df = covariance_these_topics(weights, labels, made.residual), np.inf
    else:
        covariance, df = covariance_population(made.scores), float(weights.n_topics - 1)
    return Estimate(
        name, "audited documents are a random sample with the stated probabilities", made.scores,
        made.scores.mean(axis=1), covariance, df, "", notes, made,
    )  # fmt: skip


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
    values, bronze_values = values_of(measure, design)
    assumption = "the judge errs alike on all systems' documents, at all ranks, on all topics"
    mass = weights.mass(design.bronze, design.n_labels)  # systems × topics × labels
    if design.covers_unjudged:
        mass[:, :, -1] += weights.rest
    calibration, why = calibration_of(design, confusion)
    if calibration is None:
        return _refused("confusion", assumption, mass, why)
    if not design.covers_unjudged:
        mass[:, :, -1] = 0.0
    mean = mass.mean(axis=1)
    comparable = bronze_values if len(design.bronze_scale) == len(design.gold_scale) else None
    solved = solve(calibration, values, mean.sum(axis=0), comparable)
    if solved.gains is None:
        return _refused("confusion", assumption, mass, solved.why_not, solved)
    if len(solved.calibration.matrix[0]) != design.n_labels:  # labels were merged
        mass = _merge_labels(mass, solved.columns)
        mean = mass.mean(axis=1)
    scores = mass @ solved.gains
    gold = gold_mass(solved.calibration, mean)
    clustered = solved.calibration.documents is not None and len(np.unique(solved.calibration.documents.topic)) > 1
    part = calibration_covariance(solved.calibration, gold, solved.gains, solved.values, clustered=clustered)
    notes = list(solved.notes)
    if clustered:
        notes.append("the calibration's variance is summed by topic (robust to clustered calibration documents).")
    elif solved.calibration.documents is None and solved.calibration.counts is None:
        notes.append("the matrix came without counts and is taken as known: intervals are too short.")
    n = weights.n_topics
    return Estimate(
        "confusion", assumption, scores, scores.mean(axis=1), covariance_population(scores) + part,
        float(n - 1), "", tuple(notes), None, solved, gold, part, mass,
    )  # fmt: skip


def _merge_labels(mass: Floats, columns: Ints) -> Floats:
    out = np.zeros((*mass.shape[:2], int(columns.max()) + 1))
    for old, new in enumerate(columns.tolist()):
        out[:, :, new] += mass[:, :, old]
    return out


def _refused(method: str, assumption: str, mass: Floats, why: str, solved: Solved | None = None) -> Estimate:
    n_systems, n_topics = mass.shape[:2]
    nothing = np.full(n_systems, np.nan)
    return Estimate(
        method, assumption, np.full((n_systems, n_topics), np.nan), nothing,
        np.full((n_systems, n_systems), np.nan), np.nan, why, (), None, solved,
    )  # fmt: skip


# ── all other measures ───────────────────────────────────────────────────────────────────────────────────────────────
def by_topics(measure: Measure, design: Design) -> Estimate:
    """Per-topic rectification from fully audited topics."""
    bronze = naive(measure, design)
    full = design.fully_audited()
    labels = np.where(design.audited, design.gold + design.gold_scale.low, int(UNJUDGED)).astype(np.int8)[:, None]
    gold = measure.scores(replace(design.joined, scale=design.gold_scale).with_labels(labels))[0]
    defined = np.isfinite(bronze).all(axis=0) & (np.isfinite(gold).all(axis=0) | ~full)
    made = rectify_topics(bronze[:, defined], gold[:, defined], full[defined])
    scores = np.full(bronze.shape, np.nan)
    scores[:, defined] = made.scores
    m = int(full[defined].sum())
    notes = [f"{m} of {int(defined.sum())} topics are fully audited; Student's t with {made.df:g} degrees of freedom."]
    if not defined.all():
        notes.append(f"{int((~defined).sum())} topics where the measure is undefined are left out.")
    return Estimate(
        "per-topic", "the fully audited topics are a random sample of the topics", scores, made.theta,
        made.covariance, made.df, "", tuple(notes),
    )  # fmt: skip


def by_imputation(measure: Measure, design: Design, seed: int, pair: Ints | None = None) -> Estimate:
    """Multiple imputation of the gold labels; model-based."""
    made = impute(measure, design, pair, seed=seed)
    return Estimate(
        "imputation",
        "gold grades depend on bronze label, depth, retrieving systems and topic as modelled (model-based)",
        made.scores, made.theta, made.covariance, made.df,
        notes=("model-based: coverage is not guaranteed; a random sample of whole topics would need no model.",),
    )  # fmt: skip


def enough_topics(design: Design) -> bool:
    """Are there fully audited topics enough for per-topic rectification?"""
    return int(design.fully_audited().sum()) >= FEW_TOPICS
