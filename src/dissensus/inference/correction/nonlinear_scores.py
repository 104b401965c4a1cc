"""Measures that are not linear: from fully audited topics, or imputed and then rectified by audited documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.data.tables.scale import UNJUDGED
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.estimate import Estimate, Method, naive, refused, undefined
from dissensus.inference.correction.imputation import Imputed, impute
from dissensus.inference.correction.jackknife import Jackknife, instead, jackknife, too_few
from dissensus.inference.correction.topicwise import rectify_topics
from dissensus.measures.measure import Measure
from dissensus.work.plural import counted

FEW_TOPICS = 5  # fully audited topics below which per-topic rectification is not offered


def enough_topics(design: Design) -> bool:
    """Are there fully audited topics enough for per-topic rectification?"""
    return int(design.fully_audited().sum()) >= FEW_TOPICS


def by_topics(measure: Measure, design: Design, target: str = "population") -> Estimate:
    """Per-topic rectification from fully audited topics."""
    bronze = naive(measure, design)
    full = design.fully_audited()
    labels = np.where(design.audited, design.gold + design.gold_scale.low, int(UNJUDGED)).astype(np.int8)[:, None]
    gold = measure.scores(replace(design.joined, scale=design.gold_scale).with_labels(labels))[0]
    defined = np.isfinite(bronze).all(axis=0) & (np.isfinite(gold).all(axis=0) | ~full)
    if (full & defined).sum() < 2:
        return undefined(measure, bronze.shape, Method.PER_TOPIC)
    made = rectify_topics(bronze[:, defined], gold[:, defined], full[defined], target)
    scores = np.full(bronze.shape, np.nan)
    scores[:, defined] = made.scores
    m = int(full[defined].sum())
    notes = [f"{m} of {int(defined.sum())} topics are fully audited; Student's t with {made.df:g} degrees of freedom."]
    if not defined.all():
        notes.append(f"{int((~defined).sum())} topics where the measure is undefined are left out.")
    return Estimate(
        Method.PER_TOPIC, "the fully audited topics are a random sample of the topics", scores, made.theta,
        made.covariance, made.df, "", tuple(notes), sampling=made.sampling,
    )  # fmt: skip


def by_imputation(
    measure: Measure, design: Design, target: str, seed: int, *, check: bool = True
) -> tuple[Estimate, Estimate | None]:
    """(imputed and rectified, what the model says alone).

    `check` looks for the bias of few labels per topic (`jackknife`), puts it into the standard error, or refuses.
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
    extra: dict[str, Any] = {"covariance": made.covariance, "sampling": made.sampling}
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


def _with_bias(made: Imputed, found: Jackknife, target: str) -> dict[str, Any]:
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
