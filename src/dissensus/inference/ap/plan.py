"""Which documents' gold labels matter most to AP, before any is known: π of an audit.

Labels are drawn 24 times from a rough model of what the judge's labels and places in the fused ranking mean, with
ζ_q, ζ'_q ~ N(0, 1) by topic:

    logit P = 1.5(2v̂ − 1) − 2 + 1.2ζ_q + (0.5ζ'_q − 0.7)·l_d,
    π_d ∝ √E*[P(1 − P)((mean_s e_sd)² + ½·Var_s e_sd)],

e_sd the effect of d's label on system s (`rankings`): on the level, and on deviations. A part of the labels goes to
documents that no system shows, because R hangs on them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.ap.chances import RelevancePools
from dissensus.inference.ap.rankings import Rankings

DRAWS = 24
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
    zeta, slope = rng.standard_normal((pool.topics, DRAWS)), rng.standard_normal((pool.topics, DRAWS))
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
