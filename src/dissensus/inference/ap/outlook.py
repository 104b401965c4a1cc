"""AP laid out for planning: what each label is worth, and how wide intervals will be.

Before anything is audited, the rough model of `plan` says how uncertain every document's relevance is, and what its
label changes. After a pilot audit the fitted model does. The audit's part of a variance is then that of corrected
scores (`corrected`), Σ ψ²·f(1 − f)(1 − π)/π.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.arrays import Floats
from dissensus.inference.ap.corrected import DRAWS, told_of
from dissensus.inference.ap.plan import worth
from dissensus.inference.ap.rankings import Rankings
from dissensus.inference.ap.scores import known_of, why_not
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.weights import Weights
from dissensus.measures.families.average import AP
from dissensus.work.seeds import generator


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
