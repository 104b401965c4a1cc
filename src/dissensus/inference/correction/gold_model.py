"""What the gold judge would have said of unaudited documents, drawn: P(G | bronze label, depth, systems, topic).

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

from dissensus.arrays import Floats, Ints
from dissensus.inference.correction.design import DEPTHS, Design
from dissensus.work.seeds import generator

STRENGTH = 8.0  # labels' worth of belief in the coarser level
ROUNDS = 15  # of EM: shares move by less than .002 afterwards
PRIOR = 0.1  # pseudo-count in every cell of the judge's matrix
FOLDS = 5
CORRELATION = (0.02, 0.5)  # how unlike each other topics may be taken to be: priors worth 49 labels to 1


Rngs = list[np.random.Generator]  # one for each draw, so that a draw is the same however many there are


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Completed gold labels, and what was thought of the audited documents before they were audited.

    `labels` are levels of the gold scale, items × draws, the audited ones as they are; `chances` is P(G) of audited
    items (`audited`, in order) without their own label, audited × levels × draws.
    """

    labels: NDArray[np.int8]
    audited: Ints
    chances: Floats


@lru_cache(maxsize=8)  # measures asked for together share the draws, and those of the jackknife's groups
def draw_gold(design: Design, *, seed: int, n: int) -> DrawnLabels:
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
        rngs = [generator(seed, f, i) for i in range(n)]
        kinds, gold = strata.kind[seen[asked]], design.gold[seen[asked]]
        drawn, chances[asked] = by_topic(rngs, known.draw(rngs, strata), strata, kinds, gold)
        upto = np.cumsum(drawn, axis=1)[:, :-1][strata.kind[inside]]
        luck = np.stack([rng.random(len(inside)) for rng in rngs], axis=-1)
        labels[inside] = (luck[:, None] >= upto).sum(axis=1)
    labels[seen] = design.gold[seen].astype(np.int8)[:, None]
    return DrawnLabels(labels, seen, chances)


# ── where documents lie ──────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class Strata:
    """Where items lie: strata (depth × retrieving systems), the same within a topic, and with a bronze label.

    Items of one stratum, topic and label are of one `kind`: all that is thought of them is the same until they are
    drawn. What follows is of kinds, of strata within topics, of strata.
    """

    kind: Ints  # of every item
    inside: Ints  # of each kind: stratum within topic
    bronze: Ints
    cell: Ints  # of each kind: stratum × bronze label
    place: Ints  # of each kind: topic × bronze label
    size: Floats  # items of each kind
    audited: Floats  # audited items of each kind
    above: Ints  # the stratum of each stratum within a topic
    by_topic: Floats  # bronze labels of each stratum within a topic
    pooled: Floats  # bronze labels of each stratum
    own: Floats  # audited gold levels of each topic × bronze label

    @classmethod
    def of(cls, design: Design) -> Strata:
        labels, topics = design.n_labels, len(design.joined.topics)
        depth = np.searchsorted(np.array(DEPTHS), design.best_rank())
        found = _retrieved_by(design)
        stratum = np.unique(depth * (int(found.max(initial=0)) + 1) + found, return_inverse=True)[1]
        whole, kind = np.unique((stratum * topics + design.topic) * labels + design.bronze, return_inverse=True)
        bronze, within = whole % labels, whole // labels
        size = np.bincount(kind, minlength=len(whole)).astype(np.float64)
        lies, inside = np.unique(within, return_inverse=True)
        seen = design.audited
        own = design.topic[seen] * labels + design.bronze[seen]
        return cls(
            kind,
            inside,
            bronze,
            np.unique(within // topics * labels + bronze, return_inverse=True)[1],
            within % topics * labels + bronze,
            size,
            np.bincount(kind[seen], minlength=len(whole)).astype(np.float64),
            lies // topics,
            _table(inside, bronze, labels, size),
            _table(within // topics, bronze, labels, size),
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
        cell = strata.cell[strata.kind[use]]
        counts = _table(cell, gold, k, _even(weight, bronze), int(strata.cell.max(initial=0)) + 1)
        return cls(_effective(gold, bronze, weight, k, labels), (total + half) / (total + half).sum(), counts)

    def draw(self, rngs: Rngs, strata: Strata) -> Floats:
        """P(G) of every kind of item, kinds × levels × draws, each under a draw of the matrix and of the cells."""
        counts = self.counts[:, :, None]
        matrix = _dirichlet(rngs, self.matrix[:, :, None] + PRIOR)
        share = np.tile(self.share[:, None], (len(strata.pooled), 1, len(rngs)))
        common = prevalence(strata.pooled, matrix, share)
        here = prevalence(strata.by_topic, matrix, common[strata.above])
        guess = _sure(here[strata.inside] * matrix.transpose(1, 0, 2)[strata.bronze] + 1e-12)
        mean = _mean(guess, strata.cell, len(counts), strata.size)
        return _sure(guess * (_dirichlet(rngs, STRENGTH * mean + counts) / np.maximum(mean, 1e-12))[strata.cell])


def by_topic(rngs: Rngs, guess: Floats, strata: Strata, kinds: Ints, gold: Ints) -> tuple[Floats, Floats]:
    """P(G) of every kind, tilted towards its topic's audited documents; and that of audited documents of these `kinds`
    and `gold` levels, tilted without their own. Kinds or documents × levels × draws."""
    own, place = strata.own[:, :, None], strata.place
    seen, everyone = (_mean(guess, place, len(own), number) for number in (strata.audited, strata.size))
    mean = np.where(own.any(axis=1, keepdims=True), seen, everyone)
    prior = _worth(own, mean) * mean
    tilt = _dirichlet(rngs, prior + own) / np.maximum(mean, 1e-12)
    at = place[kinds]
    without = _dirichlet(rngs, prior[at] + own[at] - np.eye(own.shape[1])[gold][:, :, None])
    return _sure(guess * tilt[place]), _sure(guess[kinds] * without / np.maximum(mean[at], 1e-12))


def _worth(own: Floats, mean: Floats) -> Floats:
    """How many labels the other topics are worth, by draw: (1 − ρ)/ρ, ρ by moments of the Dirichlet-multinomial.

    E[(N − nM)²] = nM(1 − M)·(1 + (n − 1)ρ) for N of n audited documents of one label and topic at a level of share M.
    """
    several = own[:, :, 0].sum(axis=1) > 1
    own, mean = own[several], mean[several]
    n = own.sum(axis=1, keepdims=True)
    binomial = n * mean * (1 - mean)
    pairs = ((n - 1) * binomial).sum(axis=(0, 1))
    rho = ((own - n * mean) ** 2 - binomial).sum(axis=(0, 1)) / np.where(pairs > 0, pairs, 1.0)
    rho = np.clip(rho, *CORRELATION)
    return np.where(pairs > 0, (1 - rho) / rho, STRENGTH)


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


def _mean(guess: Floats, group: Ints, groups: int, number: Floats) -> Floats:
    """Mean P(G) of every group of items; there are `number` of each kind. 0 for a group without any."""
    order = np.argsort(group, kind="stable")
    present, start = np.unique(group[order], return_index=True)
    total = np.zeros((groups, *guess.shape[1:]))
    total[present] = np.add.reduceat(guess[order] * number[order, None, None], start, axis=0)
    return total / np.maximum(np.bincount(group, number, groups), 1e-300)[:, None, None]


def _dirichlet(rngs: Rngs, count: Floats) -> Floats:
    """One draw by each generator; rows × levels × draws (or one row of counts for all draws)."""
    shape = np.maximum(count, 1e-6)
    last = shape.shape[-1] - 1
    return _sure(np.stack([rng.standard_gamma(shape[:, :, min(i, last)]) for i, rng in enumerate(rngs)], axis=-1))


def _sure(share: Floats) -> Floats:
    """Rows that sum to 1."""
    return np.asarray(share / np.maximum(share.sum(axis=1, keepdims=True), 1e-300), np.float64)


# ── how common each gold grade is in a stratum, from its bronze labels and the judge's matrix (EM) ────────────────────
def prevalence(bronze: Floats, matrix: Floats, prior: Floats) -> Floats:
    """Shares of gold grades in every stratum whose bronze labels, read through the matrix, look like `bronze`.

    share ← (share·((bronze/(share·M)) Mᵀ) + 8·prior)/(n + 8), 15 times from the prior, which counts like eight
    documents so that small strata stay near the larger one they belong to. The matrix has no zero. `bronze` is strata ×
    labels, `matrix` grades × labels × draws, `prior` strata × grades × draws.

    >>> sure = np.array([[0.9, 0.1], [0.1, 0.9]])[:, :, None]
    >>> prevalence(np.array([[580.0, 420.0]]), sure, np.array([[[0.5], [0.5]]])).round(2).ravel().tolist()
    [0.6, 0.4]
    """
    from dissensus.engine.expectation import expectation_maximisation

    out = np.array(prior, order="C")
    tables = (np.ascontiguousarray(bronze), np.ascontiguousarray(matrix), np.ascontiguousarray(prior))
    expectation_maximisation(*tables, STRENGTH, ROUNDS, out)
    return out
