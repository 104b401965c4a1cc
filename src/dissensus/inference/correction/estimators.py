"""One measure's corrected scores, by each of the ways there are.

- `rectified`: linear measures, an audit of single documents (or of whole topics) among the scored ones;
- `confusion`: linear measures, the judge's confusion matrix, from the audit or from elsewhere;
- `per-topic`: any measure, a random sample of topics fully audited;
- `imputation`: any measure, single documents audited; imputed, then rectified; model-based.

Every way gives an `Estimate`: per-topic scores, their means, and the joint covariance of the means over systems.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.data.tables.scale import UNJUDGED
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.imputation import impute
from dissensus.inference.correction.matrix import (
    Calibration,
    Solved,
    calibration_covariance,
    clustered_influence,
    gold_mass,
    influence,
    joint_covariance,
    solve,
)
from dissensus.inference.correction.rectified import (
    Labels,
    Rectified,
    audit_covariance,
    covariance_population,
    rectify,
    smooth_audit_covariance,
)
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.inference.correction.weights import Floats, Ints, Weights
from dissensus.judges.confusion.api import Confusion
from dissensus.measures.measure import Linear, Measure
from dissensus.stats.intervals import quantiles
from dissensus.work.plural import counted

ALIKE = "the judge errs alike on all systems' documents, at all ranks, on all topics"
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
    floor: Floats | None = None  # the part of the covariance that auditing only some documents brings, at least
    df_part: float = np.nan  # degrees of freedom behind the gold labels' part
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
        variance = np.diag(self.covariance)
        return np.sqrt(variance if self.floor is None else np.maximum(variance, np.diag(self.floor)))

    def se_between(self, a: Ints, b: Ints) -> Floats:
        """Standard errors of θ_a − θ_b, element by element."""
        out = contrast(self.covariance, a, b)
        if self.floor is not None:
            out = np.maximum(out, contrast(self.floor, a, b))
        return np.sqrt(np.maximum(out, 0.0))

    def df_between(self, a: Ints, b: Ints) -> Floats:
        """Degrees of freedom of θ_a − θ_b, after Satterthwaite: topics and gold labels are counted apart.

        With few topics but many gold labels, most of the variance may come from the labels and is well known.
        """
        part = self._labels_part()
        whole = self.se_between(a, b) ** 2
        return np.full(whole.shape, self.df) if part is None else self._df(whole, contrast(part, a, b))

    def half_between(self, a: Ints, b: Ints, level: float) -> Floats:
        """Half widths of the intervals of θ_a − θ_b."""
        return quantiles(level, self.df_between(a, b)) * self.se_between(a, b)

    def df_of(self) -> Floats:
        """The same for every system's mean."""
        part = self._labels_part()
        return np.full(len(self.theta), self.df) if part is None else self._df(self.se**2, np.diag(part))

    def _labels_part(self) -> Floats | None:
        part = self.floor if self.floor is not None else self.calibration_part
        return part if np.isfinite(self.df) and self.df > 0 and self.df_part > 0 else None

    def _df(self, whole: Floats, labels: Floats) -> Floats:
        topics = np.maximum(whole - labels, 0.0)
        if self.floor is not None:  # the topics' part is what is left of a variance that held the labels' part, too
            topics = topics + labels / 2
        below = topics**2 / self.df + labels**2 / self.df_part
        found = np.divide(whole**2, below, out=np.full(whole.shape, self.df), where=below > 0)
        return np.asarray(np.where(below > 0, np.maximum(found, min(self.df, self.df_part)), self.df), np.float64)


def contrast(covariance: Floats, a: Ints, b: Ints) -> Floats:
    """Var(θ_a − θ_b), element by element."""
    return np.asarray(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b], np.float64)


def values_of(measure: Linear, design: Design) -> tuple[Floats, Floats]:
    """(values by gold level, values by bronze label with 0 for 'no label')."""
    return measure.values(design.gold_scale), np.append(measure.values(design.bronze_scale), 0.0)


def naive(measure: Measure, design: Design) -> Floats:
    """The bronze labels taken at their word, systems × topics."""
    return np.asarray(measure.scores(design.joined)[0], np.float64)


def naive_estimate(measure: Measure, design: Design) -> Estimate:
    """The same as an estimate, topics where the measure is undefined left out: paired t over topics."""
    scores = naive(measure, design)
    kept = scores[:, np.isfinite(scores).all(axis=0)]
    return Estimate("naive", "", kept, kept.mean(axis=1), covariance_population(kept), kept.shape[1] - 1.0)


# ── linear measures ──────────────────────────────────────────────────────────────────────────────────────────────────
def by_rectifying(
    measure: Linear, design: Design, weights: Weights, target: str, *, use_bronze: bool = True
) -> Estimate:
    """Rectified scores; topics that were not sampled are predicted where the audit is a sample of topics."""
    values, _ = values_of(measure, design)
    labels, everyone = design.labels(values), design.everyones_inclusion(weights)
    covers = design.covers_unjudged
    if design.sampled is None:
        return rectified_estimate(weights, labels, everyone, target, covers_unjudged=covers, use_bronze=use_bronze)
    made = rectify(weights, labels, covers_unjudged=covers, use_bronze=use_bronze)
    by_topic = rectify_topics(made.predicted, made.scores, design.sampled, target)
    m = int(design.sampled.sum())
    return Estimate(
        "rectified" if use_bronze else "gold only",
        "audited topics are a random sample of the topics",
        by_topic.scores,
        by_topic.theta,
        by_topic.covariance,
        by_topic.df,
        notes=(
            f"the audit is a sample of {m} of {weights.n_topics} topics; Student's t with {by_topic.df:g} degrees.",
        ),
        rectified=made,
    )


def rectified_estimate(
    weights: Weights,
    labels: Labels,
    inclusion: Floats,
    target: str = "population",
    *,
    covers_unjudged: bool = False,
    use_bronze: bool = True,
) -> Estimate:
    """Rectified means and their covariance, from arrays; `inclusion` is π of every item.

    Covariance: cov_q(X)/n, in which the audit's share is replaced by its expectation (`smooth_audit_covariance`).
    """
    made = rectify(weights, labels, covers_unjudged=covers_unjudged, use_bronze=use_bronze)
    floor = smooth_audit_covariance(weights, labels, made.residual, inclusion)
    if target == "these_topics":
        covariance, df = floor, np.inf
    else:
        shown = audit_covariance(weights, labels, made.residual)
        covariance, df = covariance_population(made.scores) - shown + floor, float(weights.n_topics - 1)
    said = f"predictions are cross-fitted by topic: only {counted(labels.n_audited, 'audited label')}."
    return Estimate(
        "rectified" if use_bronze else "gold only",
        "audited documents are a random sample with the stated probabilities",
        made.scores,
        made.scores.mean(axis=1),
        covariance,
        df,
        notes=(said,) if made.cross_fitted else (),
        rectified=made,
        floor=floor,
        df_part=float(labels.n_audited - 1),
    )


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
        return refused("confusion", mass.shape[:2], why, assumption=ALIKE)
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
        return refused("confusion", mass.shape[:2], solved.why_not, assumption=ALIKE, solved=solved)
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
        notes.append("the matrix came without counts and is taken as known: intervals are too short.")
    return Estimate(
        "confusion",
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


# ── all other measures ───────────────────────────────────────────────────────────────────────────────────────────────
def by_topics(measure: Measure, design: Design, target: str = "population") -> Estimate:
    """Per-topic rectification from fully audited topics."""
    bronze = naive(measure, design)
    full = design.fully_audited()
    labels = np.where(design.audited, design.gold + design.gold_scale.low, int(UNJUDGED)).astype(np.int8)[:, None]
    gold = measure.scores(replace(design.joined, scale=design.gold_scale).with_labels(labels))[0]
    defined = np.isfinite(bronze).all(axis=0) & (np.isfinite(gold).all(axis=0) | ~full)
    if (full & defined).sum() < 2:
        return undefined(measure, bronze.shape, "per-topic")
    made = rectify_topics(bronze[:, defined], gold[:, defined], full[defined], target)
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


def by_imputation(measure: Measure, design: Design, target: str, seed: int) -> tuple[Estimate, Estimate | None]:
    """(imputed and rectified, what the model says alone)."""
    made = impute(measure, design, target, seed=seed)
    if made is None:
        shape = (len(design.joined.systems), len(design.joined.topics))
        return undefined(measure, shape, "imputation"), None
    notes = [
        "model-based: the model's error cancels to first order only. "
        f"{counted(int(design.audited.sum()), 'audited label')} count as {made.worth:,.0f} equally telling ones; whole "
        "topics, audited at random, would need no model."
    ]
    if made.topics < made.scores.shape[1]:
        notes.append(f"{made.scores.shape[1] - made.topics} topics where the measure is undefined are left out.")
    rectified = Estimate(
        "imputation",
        "audited documents are a random sample with the stated probabilities, and unaudited ones are roughly as "
        "modelled by bronze label, depth, retrieving systems and topic",
        made.scores, made.theta, made.covariance, made.df, notes=tuple(notes), floor=made.floor,
        df_part=max(made.worth - 1, 1.0),
    )  # fmt: skip
    alone = Estimate(
        "imputation, not rectified",
        "unaudited documents are as modelled by bronze label, depth, retrieving systems and topic",
        made.scores, made.model, made.model_covariance, float(made.topics - 1),
    )  # fmt: skip
    return rectified, alone


def undefined(measure: Measure, shape: tuple[int, ...], method: str) -> Estimate:
    """No estimate, in words: bronze or gold labels leave the measure undefined."""
    return refused(
        method,
        shape,
        f"{measure} is undefined on almost every topic: nothing is relevant to it in the bronze or in the gold labels",
    )


def refused(
    method: str, shape: tuple[int, ...], why: str, *, assumption: str = "", solved: Solved | None = None
) -> Estimate:
    """No estimate, and the sentence that says why; `shape` is systems × topics."""
    s = shape[0]
    return Estimate(
        method, assumption, np.full(shape, np.nan), np.full(s, np.nan), np.full((s, s), np.nan), np.nan, why,
        solved=solved,
    )  # fmt: skip


def enough_topics(design: Design) -> bool:
    """Are there fully audited topics enough for per-topic rectification?"""
    return int(design.fully_audited().sum()) >= FEW_TOPICS
