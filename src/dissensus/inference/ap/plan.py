"""Which documents' gold labels matter most to AP: π of an audit, and how wide intervals will be.

Labels are drawn 24 times from a rough model of what the judge's labels and places in the fused ranking mean, with
ζ_q, ζ'_q ~ N(0, 1) by topic:

    logit P = 1.5(2v̂ − 1) − 2 + 1.2ζ_q + (0.5ζ'_q − 0.7)·l_d,
    π_d ∝ √E*[P(1 − P)((mean_s e_sd)² + ½·Var_s e_sd)],

e_sd the effect of d's label on system s (`rankings`): on the level, and on deviations. A part of the labels goes to
documents that no system shows, because R hangs on them.

Before anything is audited, this rough model says how uncertain every document's relevance is, and what its
label changes. After a pilot audit the fitted model does. The audit's part of a variance is then that of corrected
scores (`corrected`), Σ ψ²·f(1 − f)(1 − π)/π.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.ap.chances import RelevancePools
from dissensus.inference.ap.corrected import DRAWS, told_of
from dissensus.inference.ap.rankings import Rankings
from dissensus.inference.ap.scores import known_of, why_not
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Weights
from dissensus.measures.families.average import AP
from dissensus.work.seeds import generator

ROUGH = 24  # draws of the rough model
SLOPE, START, TOPICS = 1.5, -2.0, 1.2  # of the judge's grade, of everybody, of a topic
PLACE, PLACES = -0.7, 0.5  # the slope on places, and its spread over topics


@dataclass(frozen=True, eq=False)
class LabelWorth:
    """What the label of every document is worth (`key`: π is proportional to it), and what the rough model says.

    `spread` is the standard deviation of every label, `effect` its mean effect (systems × documents), `labels` one draw
    of all labels.
    """

    key: Floats
    spread: Floats
    effect: Floats
    labels: Ints


def worth(known: RelevancePools, rng: np.random.Generator) -> LabelWorth:
    """Draw labels from the rough model, and see what each document's label changes."""
    pool, rankings = known.pool, Rankings(known.pool.weights)
    zeta, slope = rng.standard_normal((pool.topics, ROUGH)), rng.standard_normal((pool.topics, ROUGH))
    eta = SLOPE * (2 * pool.bronze - 1) + START
    chance = eta[:, None] + TOPICS * zeta[pool.topic] + (PLACES * slope[pool.topic] + PLACE) * known.place[:, None]
    chance = 1 / (1 + np.exp(-chance))
    y = (rng.random(chance.shape) < chance).astype(np.float64)
    doubt = chance * (1 - chance)
    square, effect = np.empty(len(eta)), np.empty((pool.weights.n_systems, len(eta)))
    for q in range(pool.topics):
        items = slice(pool.bounds[q], pool.bounds[q + 1])
        level, apart = rankings.topic(q).moments(y[items])
        effect[:, items] = rankings.topic(q).effects(y[items])[1]
        square[items] = (doubt[items] * (level**2 + apart / 2)).mean(axis=1)
    average = chance.mean(axis=1)
    return LabelWorth(np.sqrt(square), np.sqrt(average * (1 - average)), effect, y[:, 0].astype(np.int64))


# ── how wide intervals will be ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class ModelledRelevance:
    """What π is proportional to (`key`), and the standard deviation of every document's relevance."""

    key: Floats
    spread: Floats

    def ideals(self, pi: Floats) -> Floats:
        """AP has no ideals: R is among what labels change."""
        return np.zeros(1)


def modelled(
    measure: AP, design: Design, seed: int
) -> tuple[Weights, Floats, Floats, tuple[str, ...], ModelledRelevance]:
    """(effects of labels as weights, values by gold level, nothing by label, what was assumed, the model)."""
    ones = np.ones(len(design.bronze))
    known = known_of(measure, replace(design, gold=np.full(len(ones), -1), inclusion=ones, chances=ones))
    rough = worth(known, generator(seed))
    spread, effect = rough.spread, rough.effect
    notes = ["no audit yet: what labels are worth comes from a rough model of what the judge's grades mean."]
    if design.audited.any() and not why_not(measure, design):
        fitted = known_of(measure, design)
        told = told_of(fitted, Rankings(fitted.pool.weights), np.arange(len(ones)), (seed, 1), DRAWS)
        spread, effect = np.sqrt(told.chance * (1 - told.chance)), told.effect
        notes = ["what labels leave open comes from a model of relevance, fitted to the audit."]
    values = (np.arange(len(design.gold_scale)) >= measure.rel - design.gold_scale.low).astype(np.float64)
    weights = Weights.from_dense(effect, known.pool.topic, known.pool.weights.rest)
    return weights, values, np.zeros(design.n_labels), tuple(notes), ModelledRelevance(rough.key, spread)
