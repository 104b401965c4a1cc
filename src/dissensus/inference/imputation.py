"""Measures that are not linear, when single documents were audited: draw the missing gold labels, many times.

The gold grade of an unaudited document is drawn from P(G | bronze label, depth, which systems retrieved it, topic); the
probabilities themselves are drawn afresh in every imputation from their Dirichlet posterior, each level shrunk towards
the coarser one above it. Audited labels stay as they are; R and ideals are recomputed; Rubin's rule adds the variance
between imputations to the variance within. This is a model, and results say so: drawing from P(G | bronze label) alone,
for one, would halve every difference between systems, because documents that only good systems find are better than
their label says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.design import DEPTHS, Design
from dissensus.inference.weights import Floats, Ints
from dissensus.measures.measure import Measure
from dissensus.work.seeds import generator

STRENGTH = 4.0  # labels' worth of belief in the coarser level
IMPUTATIONS = 50


@dataclass(frozen=True, eq=False)
class Imputed:
    """Rubin's means and covariance over systems, and the mean imputed score of every system and topic."""

    theta: Floats
    covariance: Floats
    scores: Floats
    df: float


def impute(
    measure: Measure, design: Design, systems: Ints | None = None, *, seed: int, n: int = IMPUTATIONS
) -> Imputed | None:
    """Scores of all systems under `n` completed label sets; `systems`, two of them, sharpen the strata for a pair.

    None where the measure is undefined on (almost) every topic of some completed label set.
    """
    labels = draw_labels(design, systems, seed=seed, n=n)
    joined = replace(design.joined, scale=design.gold_scale).with_labels(labels)
    scores = measure.scores(joined)  # imputation × system × topic
    if (np.isfinite(scores).all(axis=1).sum(axis=1) < 2).any():
        return None
    theta = np.nanmean(scores, axis=2)
    n_topics = scores.shape[2]
    within = np.mean([_cov(s) / max(np.isfinite(s).all(axis=0).sum(), 1) for s in scores], axis=0)
    between = np.atleast_2d(np.cov(theta, rowvar=False))
    covariance = within + (1 + 1 / n) * between
    known = np.isfinite(scores)
    mean = np.divide(
        np.where(known, scores, 0.0).sum(axis=0), known.sum(axis=0), out=np.full(scores.shape[1:], np.nan),
        where=known.any(axis=0),
    )  # fmt: skip
    return Imputed(theta.mean(axis=0), np.asarray(covariance, np.float64), mean, float(max(n_topics - 1, 1)))


def _cov(scores: Floats) -> Floats:
    kept = scores[:, np.isfinite(scores).all(axis=0)]
    if kept.shape[1] < 2:
        return np.full((len(scores), len(scores)), np.nan)
    return np.asarray(np.atleast_2d(np.cov(kept)), np.float64)


def draw_labels(design: Design, systems: Ints | None = None, *, seed: int, n: int) -> NDArray[np.int8]:
    """`n` completed gold label sets, items × n; documents of unscored pools stay as they are."""
    rng = generator(seed)
    k = len(design.gold_scale)
    seen = design.audited
    cells = _cells(design, systems)
    weight = _even(1 / design.inclusion[seen], design.bronze[seen])
    probability = np.full((n, 1, k), 1 / k)
    parent = np.zeros(len(design.bronze), np.int64)
    for level, cell in enumerate(cells):
        size = int(cell.max(initial=0)) + 1
        counts = np.zeros((size, k))
        np.add.at(counts, (cell[seen], design.gold[seen]), weight)
        above = np.zeros(size, np.int64)
        above[cell] = parent
        strength = STRENGTH if level else k / 2  # Jeffreys' prior at the top
        alpha = np.maximum(strength * probability[:, above] + counts, 1e-6)
        drawn = rng.standard_gamma(alpha)
        probability = drawn / np.maximum(drawn.sum(axis=2, keepdims=True), 1e-300)
        parent = cell
    draw = rng.random((n, len(parent)))
    reached = np.cumsum(probability, axis=2)
    grade = np.zeros((n, len(parent)), np.int8)
    for step in range(k - 1):
        grade += draw >= reached[:, parent, step]
    grade[:, seen] = design.gold[seen].astype(np.int8)
    return np.ascontiguousarray((grade + np.int8(design.gold_scale.low)).T)


def _even(weight: Floats, label: Ints) -> Floats:
    """Weights scaled to mean 1 within each bronze label, so that they count labels, not documents."""
    total = np.bincount(label, weight)
    size = np.bincount(label)
    return np.asarray(weight * (size / np.where(total > 0, total, 1))[label], np.float64)


def _cells(design: Design, systems: Ints | None) -> list[Ints]:
    """Cells from coarse to fine: bronze label; × depth; × which systems retrieved it; × topic."""
    depth = np.searchsorted(np.array(DEPTHS), design.best_rank())
    joined = design.joined
    who = np.repeat(joined.segment_system, np.diff(joined.hits))
    if systems is not None:
        found = np.zeros(len(design.bronze), np.int64)
        shallow = joined.hit_rank <= DEPTHS[2]
        for bit, system in enumerate(systems.tolist()):
            found[joined.hit_item[(who == system) & shallow]] |= 1 << bit
    else:
        times = np.bincount(joined.hit_item[joined.hit_rank <= DEPTHS[2]], minlength=len(design.bronze))
        found = np.searchsorted(np.quantile(times[times > 0], [1 / 3, 2 / 3]) if times.any() else [1], times)
    coarse = design.bronze
    out = [coarse]
    for finer in (depth, found, design.topic):
        coarse = np.unique(coarse * (int(finer.max(initial=0)) + 1) + finer, return_inverse=True)[1]
        out.append(coarse)
    return out
