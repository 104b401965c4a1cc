"""What the gold judge would have said of documents nobody audited: P(G | bronze label, depth, systems, topic), drawn.

1. the judge's confusion matrix is drawn from its Dirichlet posterior (audited documents, weighted by 1/π);
2. how common each gold grade is in a stratum (depth × retrieving systems, then × topic, shrunk towards it) is what the
   stratum's bronze labels say when read through that matrix (EM);
3. Bayes gives P(G | label, stratum), which is tilted to agree with the documents audited in the cell (label × depth ×
   systems), drawn from a Dirichlet worth a few labels: a judge who errs unevenly is found out where the audit looked;
4. and tilted once more towards the topic's own audited documents of the label, as far as they differ from what was
   expected of *them* (a plan audits promising documents), and the more the more topics differ (their intraclass
   correlation ρ is estimated; the prior is worth (1 − ρ)/ρ labels).

Everything is drawn afresh each time, so that draws differ as much as the audit leaves open. Steps 1 to 3 use audited
documents of *other* topics only (five folds), step 4 leaves the document itself out: the chances of an audited document
are those it had before anyone looked, which is what `imputation` needs to find the model's error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.correction.design import DEPTHS, Design
from dissensus.inference.correction.weights import Floats, Ints
from dissensus.work.seeds import generator

STRENGTH = 8.0  # labels' worth of belief in the coarser level
PRIOR = 0.1  # pseudo-count in every cell of the judge's matrix
ROUNDS = 15  # of EM: shares move by less than .002 afterwards
FOLDS = 5
CORRELATION = (0.02, 0.5)  # how unlike each other topics may be taken to be: priors worth 49 labels to 1


@dataclass(frozen=True, eq=False)
class Drawn:
    """Completed gold labels, and what was thought of the audited documents before they were audited.

    `labels` are levels of the gold scale, items × draws, the audited ones as they are; `chances` is P(G) of audited
    items (`audited`, in order) without their own label, audited × levels × draws.
    """

    labels: NDArray[np.int8]
    audited: Ints
    chances: Floats


@lru_cache(maxsize=1)  # measures asked for together share the draws
def draw_gold(design: Design, *, seed: int, n: int) -> Drawn:
    """`n` completed sets of gold labels."""
    strata = Strata.of(design)
    seen = np.flatnonzero(design.audited)
    labels = np.empty((len(design.bronze), n), np.int8)
    chances = np.empty((len(seen), len(design.gold_scale), n))
    topics = len(design.joined.topics)
    folds = min(FOLDS, topics)
    fold = (generator(seed).permutation(topics) % folds)[design.topic]
    for f in range(folds):
        use = design.audited & (fold != f)
        known = Known.of(design, strata, use if use.any() else design.audited)
        inside, asked = np.flatnonzero(fold == f), fold[seen] == f
        for i in range(n):
            rng = generator(seed, f, i)
            guess = known.draw(rng, design, strata)
            drawn, chances[asked, :, i] = _by_topic(rng, guess, design, strata, inside, seen[asked])
            labels[inside, i] = (rng.random(len(inside))[:, None] >= np.cumsum(drawn, axis=1)[:, :-1]).sum(axis=1)
    labels[seen] = design.gold[seen].astype(np.int8)[:, None]
    return Drawn(labels, seen, chances)


# ── where documents lie ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Strata:
    """Of every item: `stratum` (depth × retrieving systems), `cell` (× bronze label), `inside` (× topic)."""

    stratum: Ints
    cell: Ints
    inside: Ints
    above: Ints  # the stratum of each `inside`
    by_topic: Floats  # bronze labels of each `inside`
    pooled: Floats  # bronze labels of each stratum
    own: Floats  # audited gold levels of each topic × bronze label

    @classmethod
    def of(cls, design: Design) -> Strata:
        labels, topics = design.n_labels, len(design.joined.topics)
        depth = np.searchsorted(np.array(DEPTHS), design.best_rank())
        found = _retrieved_by(design)
        stratum = np.unique(depth * (int(found.max(initial=0)) + 1) + found, return_inverse=True)[1]
        inside = np.unique(stratum * topics + design.topic, return_inverse=True)[1]
        above = np.zeros(int(inside.max(initial=0)) + 1, np.int64)
        above[inside] = stratum
        seen = design.audited
        own = design.topic[seen] * labels + design.bronze[seen]
        return cls(
            stratum,
            np.unique(stratum * labels + design.bronze, return_inverse=True)[1],
            inside,
            above,
            _table(inside, design.bronze, labels),
            _table(stratum, design.bronze, labels),
            _table(own, design.gold[seen], len(design.gold_scale), rows=topics * labels),
        )


def _retrieved_by(design: Design) -> Ints:
    """Which systems show an item near the top: by name up to three systems, else how many of them, in thirds."""
    joined = design.joined
    shallow = joined.hit_rank <= DEPTHS[2]
    if len(joined.systems) <= 3:
        who = np.repeat(joined.segment_system, np.diff(joined.hits))
        found = np.zeros(len(design.bronze), np.int64)
        for system in range(len(joined.systems)):
            found[joined.hit_item[(who == system) & shallow]] |= 1 << system
        return found
    times = np.bincount(joined.hit_item[shallow], minlength=len(design.bronze))
    thirds = np.quantile(times[times > 0], [1 / 3, 2 / 3]) if times.any() else np.ones(1)
    return np.asarray(np.searchsorted(thirds, times), np.int64)


# ── what the audit says of other topics ──────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Known:
    """Counts of audited documents: gold × bronze (`matrix`), gold levels in all (`share`) and by cell (`counts`)."""

    matrix: Floats
    share: Floats
    counts: Floats

    @classmethod
    def of(cls, design: Design, strata: Strata, use: NDArray[np.bool_]) -> Known:
        k, labels = len(design.gold_scale), design.n_labels
        gold, bronze, weight = design.gold[use], design.bronze[use], 1 / design.inclusion[use]
        total = np.bincount(gold, weight, k)
        half = 0.5 * total.sum() / len(gold)  # half a document of every level
        counts = _table(strata.cell[use], gold, k, _even(weight, bronze), int(strata.cell.max(initial=0)) + 1)
        return cls(_effective(gold, bronze, weight, k, labels), (total + half) / (total + half).sum(), counts)

    def draw(self, rng: np.random.Generator, design: Design, strata: Strata) -> Floats:
        """P(G) of every item, items × levels, under one draw of the matrix and of the cells."""
        k = len(self.share)
        matrix = rng.standard_gamma(self.matrix + PRIOR)
        matrix /= matrix.sum(axis=1, keepdims=True)
        common = prevalence(strata.pooled, matrix, np.broadcast_to(self.share, (len(strata.pooled), k)))
        here = prevalence(strata.by_topic, matrix, common[strata.above])
        guess = _sure(here[strata.inside] * matrix[:, design.bronze].T + 1e-12)
        mean = _mean(guess, strata.cell, len(self.counts))
        return _sure(guess * (_dirichlet(rng, STRENGTH * mean + self.counts) / np.maximum(mean, 1e-12))[strata.cell])


def _by_topic(
    rng: np.random.Generator, guess: Floats, design: Design, strata: Strata, inside: Ints, audited: Ints
) -> tuple[Floats, Floats]:
    """P(G) of the items `inside`, tilted towards their topic's audited documents, and of `audited` ones, tilted
    without their own."""
    place = design.topic * design.n_labels + design.bronze
    own, seen = strata.own, np.flatnonzero(design.audited)
    known = own.any(axis=1, keepdims=True)
    mean = np.where(known, _mean(guess[seen], place[seen], len(own)), _mean(guess, place, len(own)))
    prior = _worth(own, mean) * mean
    tilt = _dirichlet(rng, prior + own) / np.maximum(mean, 1e-12)
    at = place[audited]
    without = _dirichlet(rng, prior[at] + own[at] - np.eye(own.shape[1])[design.gold[audited]])
    return (
        _sure(guess[inside] * tilt[place[inside]]),
        _sure(guess[audited] * without / np.maximum(mean[at], 1e-12)),
    )


def _worth(own: Floats, mean: Floats) -> float:
    """How many labels the other topics are worth: (1 − ρ)/ρ, ρ by moments of the Dirichlet-multinomial.

    E[(N − nM)²] = nM(1 − M)·(1 + (n − 1)ρ) for N of n audited documents of one label and topic at a level of share M.
    """
    n = own.sum(axis=1, keepdims=True)
    binomial = n * mean * (1 - mean)
    pairs = float(((n - 1) * binomial)[n[:, 0] > 1].sum())
    if pairs <= 0:
        return STRENGTH
    rho = float(((own - n * mean) ** 2 - binomial)[n[:, 0] > 1].sum()) / pairs
    rho = min(max(rho, CORRELATION[0]), CORRELATION[1])
    return (1 - rho) / rho


def prevalence(bronze: Floats, matrix: Floats, prior: Floats) -> Floats:
    """Shares of gold grades in every stratum whose bronze labels, read through the matrix, look like `bronze` (EM).

    `prior` counts like STRENGTH documents, so that small strata stay near the larger one they belong to.
    """
    share = prior.copy()
    total = bronze.sum(axis=1, keepdims=True) + STRENGTH
    for _ in range(ROUNDS):
        expected = share @ matrix  # strata × labels, never 0: the matrix has a pseudo-count in every cell
        share = (share * ((bronze / expected) @ matrix.T) + STRENGTH * prior) / total
    return share


# ── small parts ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _effective(gold: Ints, bronze: Ints, weight: Floats, k: int, labels: int) -> Floats:
    """Gold × bronze shares, weighted by 1/π, times the number of equally weighted documents they are worth."""
    table = _table(gold, bronze, labels, weight, k)
    total = table.sum(axis=1)
    square = np.bincount(gold, weight**2, k)
    worth = np.divide(total**2, square, out=np.zeros(k), where=square > 0)
    share = np.divide(table, total[:, None], out=np.zeros_like(table), where=total[:, None] > 0)
    return np.asarray(share * worth[:, None], np.float64)


def _even(weight: Floats, label: Ints) -> Floats:
    """Weights scaled to mean 1 within each bronze label, so that they count labels, not documents."""
    total = np.bincount(label, weight)
    size = np.bincount(label)
    return np.asarray(weight * (size / np.where(total > 0, total, 1))[label], np.float64)


def _table(row: Ints, column: Ints, columns: int, weight: Floats | None = None, rows: int | None = None) -> Floats:
    """Counts (or weights) of row × column."""
    n = (int(row.max(initial=0)) + 1) if rows is None else rows
    return np.bincount(row * columns + column, weight, n * columns).reshape(n, columns).astype(np.float64)


def _mean(guess: Floats, group: Ints, groups: int) -> Floats:
    """Mean P(G) of every group of items."""
    total = np.stack([np.bincount(group, column, groups) for column in guess.T], axis=1)
    return total / np.maximum(np.bincount(group, minlength=groups), 1)[:, None]


def _dirichlet(rng: np.random.Generator, count: Floats) -> Floats:
    return _sure(rng.standard_gamma(np.maximum(count, 1e-6)))


def _sure(share: Floats) -> Floats:
    """Rows that sum to 1."""
    return np.asarray(share / np.maximum(share.sum(axis=1, keepdims=True), 1e-300), np.float64)
