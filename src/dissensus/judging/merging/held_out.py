"""Labels kept back: how well does a way of merging predict them, and how sure may its posteriors be?

One label of every document with at least three is kept back (which one, by the seed); the method merges the rest. With
q_d its posterior and c_k the confusion of assessor k, counted on the rest and drawn towards the crowd's by a few
pseudo-labels, the label h that k gave d has probability Σ_g q_d(g) c_k(g, h). The mean of minus its logarithm is the
held-out log-loss: lower is better, and every method, also a vote, is measured with the same c.

Tempering: posteriors q^λ, renormalised, with the λ ≤ 1 that predicts the kept labels best. Models that take dependent
labels for independent evidence are too sure, and λ takes that back as far as the labels show it. Labels that share
their errors also predict each other: what all assessors get wrong together neither the loss nor λ can see.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.methods import MethodSettings, fit_method
from dissensus.tables.judgments import Judgments
from dissensus.work.seeds import generator

LEAST = 3  # labels of a document from which one is kept back
PSEUDO = 4.0  # labels' worth of the crowd's confusion in each assessor's
MOST = 100_000  # labels used: a sample of the documents beyond
EXPONENTS = np.r_[0.02, 0.05, np.arange(1, 11) / 10]
FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class Split:
    """Labels to merge and labels to predict, of the same documents."""

    rest: Labels
    kept: Labels


def split(table: Labels, seed: int) -> Split | None:
    """Keep one label of each document back; None where no document has three labels by different assessors."""
    votes = table.first()
    size = votes.per_item()
    rng = generator(seed)
    if len(votes) > MOST:
        chosen = rng.random(votes.n_items) < MOST / len(votes)
        votes, table = votes.rows(chosen[votes.item]), table.rows(chosen[table.item])
    many = votes.rows(size[votes.item] >= LEAST)
    if not len(many):
        return None
    draw = rng.random(len(votes))[size[votes.item] >= LEAST]
    starts = np.flatnonzero(np.diff(many.item, prepend=-1))  # rows stand by document
    least = np.minimum.reduceat(draw, starts)
    kept = many.rows(draw == np.repeat(least, np.diff(starts, append=len(many))))
    # all labels that the chosen assessor gave this document go, repeats included
    chosen_assessor = np.full(table.n_items, -1)
    chosen_assessor[kept.item] = kept.assessor
    return Split(table.rows(table.assessor != chosen_assessor[table.item]), kept)


def confusions(table: Labels, posterior: Floats) -> Floats:
    """P(given | true) of every assessor, drawn towards the crowd's: assessor × true × given."""
    counts = table.expected(posterior)
    crowd = counts.sum(axis=0) + 0.1
    drawn = counts + PSEUDO * crowd / crowd.sum(axis=1, keepdims=True)
    return np.asarray(drawn / drawn.sum(axis=2, keepdims=True), np.float64)


def tempered(posterior: Floats, exponent: float) -> Floats:
    """Rows raised to a power and renormalised; rows of zeros stay.

    >>> tempered(np.array([[0.8, 0.2]]), 0.5).round(3).tolist()
    [[0.667, 0.333]]
    """
    if exponent == 1:
        return posterior
    power = np.where(posterior > 0, np.maximum(posterior, FLOOR), FLOOR) ** exponent
    out: Floats = power / power.sum(axis=1, keepdims=True)
    return np.where(posterior.sum(axis=1, keepdims=True) > 0, out, 0.0)


def losses(parts: Split, posterior: Floats, exponents: Floats) -> Floats:
    """Log-loss of each kept label under posteriors of the rest, one row per exponent."""
    flat = posterior.copy()
    flat[flat.sum(axis=1) == 0] = 1 / flat.shape[1]
    given = confusions(parts.rest, posterior)[parts.kept.assessor, :, parts.kept.level.astype(np.int64)]
    mine = flat[parts.kept.item]
    return np.array([-np.log(np.maximum((tempered(mine, x) * given).sum(axis=1), FLOOR)) for x in exponents])


@dataclass(frozen=True)
class HeldOut:
    """`loss` of the posteriors as they are, `exponent` that predicts best, `tempered_loss` with it, `n` kept labels."""

    loss: float
    exponent: float
    tempered_loss: float
    n: int


def held_out(judgments: Judgments, name: str, parts: Split, settings: MethodSettings) -> HeldOut:
    """Fit a method without the kept labels and score them; λ = 1 unless another beats it by a standard error."""
    posterior = fit_method(name, judgments, parts.rest, settings).posterior
    found = losses(parts, posterior, EXPONENTS)
    means = found.mean(axis=1)
    best = int(means.argmin())
    gain = found[-1] - found[best]
    if gain.mean() <= gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else True:
        best = len(EXPONENTS) - 1
    return HeldOut(float(means[-1]), float(EXPONENTS[best]), float(means[best]), len(parts.kept))
