"""Expected scores of topics whose documents are ordered by another judge's labels, by three methods.

Everything here is plain arrays: `counts` (topics × grades), matrices (reference grade × label, labels worst to best),
and for each topic the measure's linear form, a weight per rank and a value per grade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Bools, Floats, Ints
from dissensus.measures.measure import Linear, Measure, Ratio, cut
from dissensus.tables.scale import Scale
from dissensus.work.threads import on_threads

Order = Literal["label", "posterior"]  # how a ranker orders the other judge's labels

NODES = 32  # enough for 120 documents: the error stays below 2e-13
ENOUGH_UP_TO = 120
TOLERANCE = 1e-12
MOST_HALVINGS = 12
CHUNK = 64  # topics that one thread takes at a time


@dataclass(frozen=True)
class Forms:
    """Linear forms of many topics: weights by rank (padded with 0), how many ranks count, values by grade."""

    weights: Floats
    lengths: Ints
    values: Floats

    @classmethod
    def of(cls, measure: Measure, counts: Ints, scale: Scale) -> Forms | None:
        """A row per topic, for rankings of all its documents; None if the measure is not linear.

        Ranks after the last weight that is not 0 are left out; values are NaN where the measure is undefined.
        """
        documents = counts.sum(axis=1)
        sizes, place = np.unique(documents, return_inverse=True)
        if isinstance(measure, Ratio) and type(measure).linear_form in (Ratio.linear_form, Linear.linear_form):
            # the weights depend on the number of documents alone, the denominators come all at once
            rows = [cut(np.asarray(measure.weights(int(n)), np.float64), measure.cutoff) for n in sizes]
            base = np.asarray(measure.denominator(counts, documents, scale), np.float64)
            values = np.asarray(measure.values(scale), np.float64) / np.where(base == 0, np.nan, base)[:, None]
        else:
            own = [measure.linear_form(c, int(c.sum()), scale) for c in counts]
            forms = [f for f in own if f is not None]
            if len(forms) < len(own):
                return None
            bad = np.array([not (np.isfinite(w).all() and np.isfinite(v).all()) for w, v in forms])
            rows, place = [np.nan_to_num(w) for w, _ in forms], np.arange(len(forms))
            values = np.where(bad[:, None], np.nan, np.array([v for _, v in forms]))
        rows = [w[: int(np.flatnonzero(w).max(initial=-1)) + 1] for w in rows]  # np.trim_zeros takes ten times as long
        weights = np.zeros((len(rows), max((len(w) for w in rows), default=1)))
        for row, w in zip(weights, rows, strict=True):
            row[: len(w)] = w
        return cls(weights[place], np.array([len(w) for w in rows], np.int64)[place], values)

    @classmethod
    def of_each(cls, measures: Sequence[Measure], measure_of: Ints, counts: Ints, scale: Scale) -> Forms | None:
        """The same where topic t has the measure `measures[measure_of[t]]`; None if one of them is not linear."""
        if len(measures) == 1:
            return cls.of(measures[0], counts, scale)
        rows = [np.flatnonzero(measure_of == m) for m in range(len(measures))]
        found = [cls.of(m, counts[r], scale) for m, r in zip(measures, rows, strict=True)]
        parts = [f for f in found if f is not None]
        if len(parts) < len(found):
            return None
        weights = np.zeros((len(counts), max(p.weights.shape[1] for p in parts)))
        lengths, values = np.zeros(len(counts), np.int64), np.empty((len(counts), len(scale)))
        for r, part in zip(rows, parts, strict=True):
            weights[r, : part.weights.shape[1]], lengths[r], values[r] = part.weights, part.lengths, part.values
        return cls(weights, lengths, values)

    @property
    def defined(self) -> NDArray[np.bool_]:
        """Topics whose measure is a number."""
        return np.asarray(np.isfinite(self.values).all(axis=1))

    def heaviest_first(self) -> Forms:
        """Ranks in the order of their weights: a perfect ranking shows its best documents where users look most.

        Only a measure whose weights rise somewhere (nMCG) is changed by it.
        """
        return Forms(-np.sort(-self.weights, axis=1), self.lengths, self.values)

    def rows(self, topics: Ints) -> Forms:
        """The forms of some topics."""
        return Forms(self.weights[topics], self.lengths[topics], self.values[topics])


@dataclass(frozen=True)
class ScoredTopics:
    """What is scored, topic by topic: documents per grade, the measure and, where it is linear, its form."""

    counts: Ints
    measures: Sequence[Measure]
    measure_of: Ints  # which measure each topic has
    forms: Forms | None
    scale: Scale

    @property
    def defined(self) -> Bools:
        """Topics whose measure is defined: a finite linear form, or a score of the whole pool that is a number."""
        judged: Bools = self.counts.sum(axis=1) > 0
        if self.forms is not None:
            return judged & self.forms.defined
        pools = (np.repeat(self.scale.grades, c)[::-1].astype(np.int8) for c in self.counts)
        own = (self.measures[m] for m in self.measure_of)
        known = np.array([not np.isnan(m.compute(pool, pool, self.scale)) for m, pool in zip(own, pools, strict=True)])
        return np.asarray(judged & known, bool)

    def value(self, topic: int) -> Floats:
        """What each grade is worth: relevance where a measure that is not linear has `rel`, else the grade."""
        if self.forms is not None:
            return np.asarray(self.forms.values[topic], np.float64)
        measure = self.measures[self.measure_of[topic]]
        if hasattr(measure, "rel"):
            return np.asarray(self.scale.grades >= measure.relevant_from(self.scale), np.float64)
        return self.scale.grades.astype(np.float64)

    def scorer(self, topic: int) -> Callable[[NDArray[np.int8]], Floats]:
        """samples × ranks levels → score per sample; one matrix product where the measure is linear."""
        if self.forms is not None:
            used = int(self.forms.lengths[topic])
            weights, values = self.forms.weights[topic, :used], self.forms.values[topic]
            return lambda level: np.asarray(values[level[:, :used]] @ weights[: level.shape[1]], np.float64)
        measure, scale = self.measures[self.measure_of[topic]], self.scale
        pool = np.repeat(scale.grades, self.counts[topic])[::-1].astype(np.int8)

        def score(level: NDArray[np.int8]) -> Floats:
            grades = (level + scale.low).astype(np.int8)
            return np.array([measure.compute(row, pool, scale) for row in grades])

        return score


@lru_cache(maxsize=64)
def gauss_legendre(nodes: int) -> tuple[Floats, Floats]:
    """Nodes and weights on (0, 1), exact for polynomials of degree 2·nodes − 1."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    return (x + 1) / 2, w / 2


def exact_scores(counts: Ints, matrices: Floats, matrix_of: Ints, forms: Forms) -> Floats:
    """The exact expectation.

    The integrand over the tie-break is a polynomial of degree n − 1, so ⌈n/2⌉ nodes are exact; 32 are used up to 120
    documents. Beyond that they are used on panels that get narrower where documents tie first, and the panels are
    halved until nothing moves by more than 1e-12.
    """
    documents = counts.sum(axis=1)
    out = np.zeros(len(counts))
    needed = np.maximum((documents + 1) // 2, 1)
    # few distinct numbers of nodes: rounded up to a power of two, which stays exact
    nodes = np.where(needed >= NODES, NODES, 2 ** np.ceil(np.log2(needed)).astype(np.int64))
    long = documents > ENOUGH_UP_TO
    for m in np.unique(nodes[~long]):
        here = np.flatnonzero(~long & (nodes == m))
        out[here] = _integrate(here, int(m), -1, counts, matrices, matrix_of, forms)
    open_ = np.flatnonzero(long)
    out[open_] = _integrate(open_, NODES, 0, counts, matrices, matrix_of, forms) if len(open_) else 0.0
    for refine in range(1, MOST_HALVINGS + 1):
        if not len(open_):
            break
        finer = _integrate(open_, NODES, refine, counts, matrices, matrix_of, forms)
        moved = np.abs(finer - out[open_]) > TOLERANCE * np.maximum(1.0, np.abs(finer))
        out[open_] = finer
        open_ = open_[moved]
    return out


def _integrate(
    topics: Ints, nodes: int, refine: int, counts: Ints, matrices: Floats, matrix_of: Ints, forms: Forms
) -> Floats:
    from dissensus.engine.exact_ranks import expected_scores

    x, w = gauss_legendre(nodes)
    chosen = forms.rows(topics)
    most = int(counts[topics].sum(axis=1).max(initial=1))
    inverse = np.concatenate(([0.0], 1.0 / np.arange(1, most + 2)))
    some = (counts[topics], matrices, matrix_of[topics], chosen.weights, chosen.lengths, chosen.values)
    out = np.empty(len(topics))
    in_threads(lambda a, b: expected_scores(*some, x, w, refine, inverse, a, b, out), len(topics))
    return out


def normal_scores(counts: Ints, matrices: Floats, matrix_of: Ints, forms: Forms) -> Floats:
    """The Gaussian approximation; better the longer the list."""
    from dissensus.engine import normal_ranks as rank_normal

    longest = int(counts.sum(axis=1).max(initial=0))
    cumulative = np.zeros((len(counts), longest + 1))
    kept = min(forms.weights.shape[1], longest)
    cumulative[:, 1 : kept + 1] = np.cumsum(forms.weights[:, :kept], axis=1)
    cumulative[:, kept + 1 :] = cumulative[:, kept : kept + 1]
    out = np.empty(len(counts))
    in_threads(
        lambda a, b: rank_normal.normal_scores(counts, matrices, matrix_of, cumulative, forms.values, a, b, out),
        len(counts),
    )
    return out


def simulate(
    counts: Ints,
    matrix: Floats,
    score: Callable[[NDArray[np.int8]], Floats],
    samples: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """(mean, standard error) for one topic: draw the other judge's labels, sort by them, score.

    `score` takes samples × ranks grades (counted from the bottom of the scale) and returns one score per sample.
    """
    level = np.repeat(np.arange(len(counts)), counts)
    reached = np.cumsum(matrix, axis=1)[level, :-1]
    scores = []
    for start in range(0, samples, 256):  # a block at a time, so that long lists fit into memory
        size = min(256, samples - start)
        draw = rng.random((size, len(level)))
        label = (draw[:, :, None] >= reached[None]).sum(axis=2, dtype=np.int64)
        order = np.argsort(-(label + rng.random(label.shape)), axis=1)
        scores.append(score(level[order].astype(np.int8)))
    values = np.concatenate(scores)
    se = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return float(values.mean()), se


def in_threads(work: Callable[[int, int], object], n: int) -> None:
    """`work(first, last)` over 0 … n in chunks, on all cores; kernels release the interpreter lock."""
    on_threads(lambda a: work(a, min(a + CHUNK, n)), range(0, n, CHUNK))


def ordered_labels(order: Order, topics: ScoredTopics, matrices: Floats, matrix_of: Ints) -> tuple[Floats, Ints]:
    """Matrices whose columns run from the worst to the best place in the ranking, and which row uses which.

    "posterior" sorts the labels of each row by E[value | label] = Σ_i n_i c_ij v_i / Σ_i n_i c_ij.
    """
    known = np.nan_to_num(matrices)
    known = known / np.maximum(known.sum(axis=2, keepdims=True), 1e-300)  # printed rows may be off by rounding
    if order == "label":
        return np.ascontiguousarray(known), matrix_of
    out = np.zeros((len(topics.counts), *known.shape[1:]))
    for t, c in enumerate(topics.counts):
        matrix = known[matrix_of[t]]
        value = topics.value(t)
        joint = c[:, None] * matrix
        total = joint.sum(axis=0)
        expected = np.divide(np.nan_to_num(value) @ joint, total, out=np.full(len(total), -np.inf), where=total > 0)
        # labels that are worth the same are one class: their ties are broken at random together
        rounded = np.round(expected, 12)
        for label, place in enumerate(np.searchsorted(np.unique(rounded), rounded)):
            out[t, :, place] += matrix[:, label]
    return out, np.arange(len(topics.counts), dtype=np.int64)
