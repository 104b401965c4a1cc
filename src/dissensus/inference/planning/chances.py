"""Which documents are drawn: each with a probability in proportion to what its gold label is worth for a purpose.

- `scores`: π ∝ √(mean over systems of w²)·sd(v | J): every scored document has a chance.
- `differences`: π ∝ |w_a − w_b|·sd(v | J) for two systems, sd_s(w_s)·sd(v | J) for many: documents that all systems
  rank equally have none.
- `pooled`: π ∝ ‖Q G Qᵀw‖·sd(v | J). Pooled deviations are Q G z (see `correction.pooled`), so a document adds
  ‖Q G Qᵀw‖²·Var(v | J)·(1 − π)/π to their variance: this π makes the sum smallest. Every scored document keeps a small
  chance, so that the level can be corrected, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from dissensus.arrays import Bools, Floats
from dissensus.inference.correction.design import Design
from dissensus.inference.correction.pooled import POPULAR, RIDGE, SLOPES, Contrasts
from dissensus.inference.correction.weights import Weights, cosines, popularity
from dissensus.stats.sampling import fixed_size
from dissensus.tables.columns import names_of
from dissensus.tables.design import Coverage
from dissensus.work.seeds import generator

Purpose = Literal["scores", "differences", "pooled"]
FLOOR = 0.01
ASSUMED = 0.02  # τ₁ and τ₂ of biases before anything was audited, in units of the value range


@dataclass(frozen=True, eq=False)
class Chances:
    """What π is proportional to (`key`), and where it is at least `least` (`floor`)."""

    key: Floats
    floor: Bools
    least: float = FLOOR

    @property
    def most(self) -> int:
        """Documents that can be drawn at all."""
        return int(((self.key > 0) | self.floor).sum())

    def at(self, budget: float, among: Bools | None = None) -> Floats:
        """π of every document for a budget, which is spent `among` some of them."""
        return inclusion(self.key, self.floor, budget, self.least, among)


def inclusion(key: Floats, floor: Bools, budget: float, least: float = FLOOR, among: Bools | None = None) -> Floats:
    """π ∝ key, at most 1, at least `least` where `floor`, Σπ = budget (or every document, if the budget allows).

    Where that least would take more than half of the budget, it is half of the budget, spread evenly. `among`: the sum
    is over these documents alone, and the others have the π that they would have had.

    >>> inclusion(np.array([1.0, 1.0, 2.0, 0.0]), np.array([True, True, True, False]), 2.0).round(9).tolist()
    [0.5, 0.5, 1.0, 0.0]
    """
    lowest = np.where(floor, min(least, budget / (2 * max(int(floor.sum()), 1))), 0.0)
    able = (key > 0) | (lowest > 0)
    here = able if among is None else able & among
    if budget >= int(here.sum()):
        return np.where(able, 1.0, 0.0)

    def at(scale: float) -> Floats:
        return np.minimum(np.maximum(key * scale, lowest), 1.0)

    low, high = 0.0, 1.0
    while at(high)[here].sum() < budget and high < 1e18:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if at(middle)[here].sum() < budget else (low, middle)
    return np.where(able, at(high), 0.0)


def key_of(
    purpose: Purpose, design: Design, weights: Weights, spread: Floats, pair: tuple[int, int] | None, budget: float
) -> Floats:
    """What π is proportional to; `spread` is sd(v | J) by bronze label."""
    if purpose == "scores":
        weight_sd = np.sqrt(np.bincount(weights.item, weights.weight**2, weights.n_items) / weights.n_systems)
    elif purpose == "pooled":
        weight_sd = _deviations(design, weights, spread, budget)
    else:
        weight_sd = np.abs(weights.row(pair[0]) - weights.row(pair[1])) if pair else weights.weight_sd
    return np.where(design.bronze < design.n_labels - 1, weight_sd * spread[design.bronze], 0.0)


def _deviations(design: Design, weights: Weights, spread: Floats, budget: float) -> Floats:
    """‖Q G Qᵀw‖ of every document, G as it would be after a plan of this budget for differences."""
    items = np.flatnonzero(weights.scored_items)
    dense = weights.dense(items)
    doubt = dense * spread[design.bronze[items]]
    pi = inclusion(doubt.std(axis=0), np.ones(len(items), bool), budget)
    c = (doubt * np.sqrt((1 - pi) / pi)) @ (doubt * np.sqrt((1 - pi) / pi)).T / weights.n_topics**2
    s = weights.n_systems
    c = c + (RIDGE * np.trace(c) / s + 1e-12) * np.eye(s)
    tau = ASSUMED * float(spread.max()) / 0.4
    naive = weights.scores(np.ones(weights.n_items)).mean(axis=1)
    contrasts = Contrasts.of(naive, cosines(weights), popularity(weights))
    prior = contrasts.prior((SLOPES[1], POPULAR[1]), (tau, tau))
    gain = np.linalg.solve(prior + contrasts.within(c), prior).T
    moved = contrasts.basis @ (gain @ (contrasts.basis.T @ dense))
    out: Floats = np.zeros(weights.n_items)
    out[items] = np.sqrt((moved**2).mean(axis=0))
    return out


# ── the draw, together with an audit made before ─────────────────────────────────────────────────────────────────────
def chance_before(design: Design, weights: Weights) -> Floats:
    """π of every document in the audit made before: 0 where there was none, or where its plan left documents out."""
    if not design.audited.any():
        return np.zeros(len(design.bronze))
    out: Floats = np.nan_to_num(design.everyones_inclusion(weights))
    if not design.given or design.covers.scores or design.chances is not None:
        return out
    names = design.joined.systems
    had = weights.weight_sd > 0 if design.covers.every_pair else np.zeros(len(out), bool)
    for a, b in design.covers.pairs or ():
        if a in names and b in names:
            had |= weights.row(names.index(a)) != weights.row(names.index(b))
    return np.where(had | design.audited, out, 0.0)


def draw(
    design: Design, weights: Weights, pi: Floats, seed: int, covers: Coverage, among: Bools | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(documents to audit, π of every document); audits made before are in it with joint probabilities.

    New documents are drawn among those not audited before, exactly as many as the budget. `among`: those of the topics
    that were drawn first, where π is the chance of both.
    """
    drawn = np.zeros(len(pi), bool)
    open_ = np.where(design.audited, 0.0, pi)
    if among is not None:
        topics = len(design.joined.topics)
        open_ = np.where(among, np.minimum(open_ * (topics / len(np.unique(design.topic[among]))), 1.0), 0.0)
    drawn[fixed_size(open_, generator(seed))] = True
    before = chance_before(design, weights)
    joint = np.minimum(1 - (1 - pi) * (1 - before), 1.0)
    everyone = pl.DataFrame(
        {
            "topic": names_of(design.joined.topics, design.topic),
            "doc": pl.Series(design.joined.judgments.doc_ids(), dtype=pl.String),
            "inclusion": joint,
        }
    )
    take, scale = np.flatnonzero(drawn | design.audited), design.gold_scale
    grade = [scale.name(int(g) + scale.low) if g >= 0 else None for g in design.gold[take]]
    about = {name: pl.lit(value) for name, value in covers.columns().items()}
    sample = everyone[take].select("topic", "doc", pl.Series("grade", grade, dtype=pl.String), "inclusion", **about)
    return sample, everyone.filter(design.bronze < design.n_labels - 1)


def covers_of(design: Design, about: Coverage) -> Coverage:
    """What this plan's sample can tell, together with the audit made before: what either of them could."""
    return about.with_other(design.covers) if design.audited.any() else about
