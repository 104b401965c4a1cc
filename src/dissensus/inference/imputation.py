"""Measures that are not linear, when single documents were audited: draw the missing gold labels, many times.

The gold grade of an unaudited document is drawn from P(G | bronze label, depth, which systems retrieved it, topic):

1. the judge's confusion matrix is drawn from its Dirichlet posterior (audited documents, weighted);
2. how common each gold grade is in a stratum (depth × retrieving systems, then × topic, shrunk towards it) is what the
   stratum's bronze labels say when read through that matrix (EM);
3. Bayes gives P(G | label, stratum), which is tilted to agree with the documents audited in the cell (label × depth ×
   systems), drawn from a Dirichlet that is worth a few labels: a judge who errs unevenly is found out where the audit
   looked.

Audited labels stay as they are; R and ideals are recomputed; Rubin's rule adds the variance between imputations to the
variance within. This is a model, and results say so. Drawing from P(G | bronze label) alone would halve every
difference between systems, because documents that good systems find are better than their label says.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.design import DEPTHS, Design
from dissensus.inference.weights import Floats, Ints
from dissensus.measures.measure import Measure
from dissensus.work.seeds import generator

STRENGTH = 8.0  # labels' worth of belief in the coarser level
PRIOR = 0.1  # pseudo-count in every cell of the judge's matrix
ROUNDS = 30
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
    """`n` completed gold label sets, items × n; audited documents keep their label."""
    k, labels = len(design.gold_scale), design.n_labels
    seen = design.audited
    stratum, cell = _strata(design, systems)
    inside = np.unique(stratum * len(design.joined.topics) + design.topic, return_inverse=True)[1]
    above = np.zeros(int(inside.max(initial=0)) + 1, np.int64)
    above[inside] = stratum
    bronze = _table(inside, design.bronze, labels)
    pooled = _table(stratum, design.bronze, labels)
    weight = _even(1 / design.inclusion[seen], design.bronze[seen])
    audited = _effective(design.gold[seen], design.bronze[seen], 1 / design.inclusion[seen], k, labels)
    share = _table(np.zeros(seen.sum(), np.int64), design.gold[seen], k, 1 / design.inclusion[seen], 1)[0]
    share = (share + 0.5 * share.sum() / max(seen.sum(), 1)) / (share.sum() * (1 + 0.5 * k / max(seen.sum(), 1)))
    counts = _table(cell[seen], design.gold[seen], k, weight, int(cell.max(initial=0)) + 1)
    size = np.bincount(cell, minlength=len(counts))
    out = np.empty((len(design.bronze), n), np.int8)
    for i in range(n):
        rng = generator(seed, i)
        matrix = rng.standard_gamma(audited + PRIOR)
        matrix /= matrix.sum(axis=1, keepdims=True)
        common = _prevalence(pooled, matrix, np.broadcast_to(share, (len(pooled), k)))
        here = _prevalence(bronze, matrix, common[above])
        guess = here[inside] * matrix[:, design.bronze].T + 1e-12
        guess /= guess.sum(axis=1, keepdims=True)
        mean = np.stack([np.bincount(cell, guess[:, g], len(counts)) for g in range(k)], axis=1) / size[:, None]
        drawn = rng.standard_gamma(np.maximum(STRENGTH * mean + counts, 1e-6))
        drawn /= np.maximum(drawn.sum(axis=1, keepdims=True), 1e-300)
        guess *= (drawn / np.maximum(mean, 1e-12))[cell]
        guess /= guess.sum(axis=1, keepdims=True)
        out[:, i] = (rng.random(len(guess))[:, None] >= np.cumsum(guess, axis=1)[:, :-1]).sum(axis=1)
    out[seen] = design.gold[seen].astype(np.int8)[:, None]
    return np.ascontiguousarray(out + np.int8(design.gold_scale.low))


def _effective(gold: Ints, bronze: Ints, weight: Floats, k: int, labels: int) -> Floats:
    """Gold × bronze shares, weighted by 1/π, times the number of equally weighted documents they are worth."""
    table = _table(gold, bronze, labels, weight, k)
    total = table.sum(axis=1)
    square = np.bincount(gold, weight**2, k)
    worth = np.divide(total**2, square, out=np.zeros(k), where=square > 0)
    share = np.divide(table, total[:, None], out=np.zeros_like(table), where=total[:, None] > 0)
    return np.asarray(share * worth[:, None], np.float64)


def _prevalence(bronze: Floats, matrix: Floats, prior: Floats) -> Floats:
    """Shares of gold grades in every stratum whose bronze labels, read through the matrix, look like `bronze` (EM).

    `prior` counts like STRENGTH documents, so that small strata stay near the larger one they belong to.
    """
    share = prior.copy()
    total = bronze.sum(axis=1, keepdims=True) + STRENGTH
    for _ in range(ROUNDS):
        expected = share @ matrix  # strata × labels
        ratio = np.divide(bronze, expected, out=np.zeros_like(expected), where=expected > 0)
        share = (share * (ratio @ matrix.T) + STRENGTH * prior) / total
        share /= share.sum(axis=1, keepdims=True)
    return share


def _table(row: Ints, column: Ints, columns: int, weight: Floats | None = None, rows: int | None = None) -> Floats:
    """Counts (or weights) of row × column."""
    n = (int(row.max(initial=0)) + 1) if rows is None else rows
    return np.bincount(row * columns + column, weight, n * columns).reshape(n, columns).astype(np.float64)


def _even(weight: Floats, label: Ints) -> Floats:
    """Weights scaled to mean 1 within each bronze label, so that they count labels, not documents."""
    total = np.bincount(label, weight)
    size = np.bincount(label)
    return np.asarray(weight * (size / np.where(total > 0, total, 1))[label], np.float64)


def _strata(design: Design, systems: Ints | None) -> tuple[Ints, Ints]:
    """(depth × which systems retrieved it, the same × bronze label) of every item."""
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
    stratum = np.unique(depth * (int(found.max(initial=0)) + 1) + found, return_inverse=True)[1]
    return stratum, np.unique(stratum * design.n_labels + design.bronze, return_inverse=True)[1]
