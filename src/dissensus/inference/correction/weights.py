"""Which document counts how much: a linear measure's rankings as (system, document, weight).

A linear score is Σ_d w(d)·v(g(d)). Everything inference does with linear measures (correction, rectification, audit
plans) needs only these weights, the documents' labels and the values of the grades; the rankings themselves are gone.
Retrieved documents without a label have no number: their weight is kept per system and topic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.measures.measure import Linear, Measure, Ratio, cut
from dissensus.measures.policies import Policies, Ties
from dissensus.measures.ties import tie_groups
from dissensus.tables.collection import Joined
from dissensus.tables.scale import Scale

DENSE = 1_000_000  # cells of a full table that are multiplied at a time
WORK = 5_000_000_000  # multiplications up to which full tables are quicker than scipy.sparse and its import


@dataclass(frozen=True, eq=False)
class Weights:
    """Entry e: system `system[e]` gives item `item[e]` the weight `weight[e]` (never 0).

    `rest[s, q]` is the weight that system s gives, on topic q, to retrieved documents outside the items.
    """

    system: Ints
    item: Ints
    weight: Floats
    item_topic: Ints
    rest: Floats

    @property
    def n_systems(self) -> int:
        return int(self.rest.shape[0])

    @property
    def n_topics(self) -> int:
        return int(self.rest.shape[1])

    @property
    def n_items(self) -> int:
        return len(self.item_topic)

    @cached_property
    def _cell(self) -> Ints:
        return self.system * self.n_topics + self.item_topic[self.item]

    def scores(self, value: Floats) -> Floats:
        """Σ_d w·value(d) per (system, topic); documents outside the items are worth 0."""
        flat = np.bincount(self._cell, self.weight * value[self.item], self.n_systems * self.n_topics)
        return flat.reshape(self.n_systems, self.n_topics).astype(np.float64, copy=False)

    def mass(self, label: Ints, n_labels: int) -> Floats:
        """Weight per (system, topic, label)."""
        cell = self._cell * n_labels + label[self.item]
        flat = np.bincount(cell, self.weight, self.n_systems * self.n_topics * n_labels)
        return flat.reshape(self.n_systems, self.n_topics, n_labels).astype(np.float64, copy=False)

    def dense(self, items: Ints) -> Floats:
        """Weights systems × items, for a few items."""
        place = np.full(self.n_items, -1, np.int64)
        place[items] = np.arange(len(items))
        keep = place[self.item] >= 0
        out = np.zeros((self.n_systems, len(items)))
        out[self.system[keep], place[self.item[keep]]] = self.weight[keep]
        return out

    @cached_property
    def _by_system(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.system, kind="stable")
        return order, np.searchsorted(self.system[order], np.arange(self.n_systems + 1))

    def row(self, system: int) -> Floats:
        """One system's weight of every item."""
        order, start = self._by_system
        mine = order[start[system] : start[system + 1]]
        out = np.zeros(self.n_items)
        out[self.item[mine]] = self.weight[mine]
        return out

    @cached_property
    def scored_items(self) -> NDArray[np.bool_]:
        """Items that count for some system."""
        out = np.zeros(self.n_items, bool)
        out[self.item] = True
        return out

    @cached_property
    def weight_sd(self) -> Floats:
        """How much each item can move differences: the standard deviation of its weight over systems."""
        s = self.n_systems
        total = np.bincount(self.item, self.weight, self.n_items)
        square = np.bincount(self.item, self.weight**2, self.n_items)
        return np.asarray(np.sqrt(np.maximum(square / s - (total / s) ** 2, 0.0)), np.float64)

    @classmethod
    def from_dense(cls, weights: Floats, item_topic: Ints, rest: Floats | None = None) -> Weights:
        """From a matrix systems × items; handy in simulations."""
        system, item = np.nonzero(weights)
        topics = int(item_topic.max()) + 1 if len(item_topic) else 0
        empty = np.zeros((len(weights), topics)) if rest is None else rest
        return cls(system, item, weights[system, item], np.asarray(item_topic, np.int64), empty)


def weights_of(measure: Linear, joined: Joined, scale: Scale, ties: Ties = Policies.ties) -> Weights:
    """The weights of a linear measure on joined rankings; topics in the order of `joined.topics`.

    With `ties="expected"` a tied document has the mean weight of the ranks that its group covers.
    """
    counts = np.zeros(len(scale), np.int64)
    return weights_by_rank(lambda n: measure.linear_form(counts, n, scale)[0], joined, ties)


def weights_by_rank(by_rank: Callable[[int], Floats], joined: Joined, ties: Ties = Policies.ties) -> Weights:
    """The weights that rankings of n documents give their ranks, `by_rank(n)`, on joined rankings."""
    by_length = {int(n): by_rank(int(n)) for n in np.unique(joined.length) if n > 0}
    n_systems, n_topics = len(joined.systems), len(joined.topics)
    rest = np.zeros((n_systems, n_topics))
    system = np.repeat(joined.segment_system.astype(np.int64), np.diff(joined.hits))
    item = joined.hit_item.astype(np.int64)
    # the weights of all lengths one after the other, each behind a 0 for their running sum
    lengths, which = np.unique(joined.length, return_inverse=True)
    tables = [np.r_[0.0, by_length[int(n)]] if n > 0 else np.zeros(1) for n in lengths]
    start = (np.cumsum([0, *map(len, tables)])[:-1])[which]
    segment = np.repeat(np.arange(len(joined.length)), np.diff(joined.hits))
    if ties == "expected":
        groups, running = tie_groups(joined), np.concatenate([np.cumsum(t) for t in tables])
        first = start[segment] + groups.start - 1
        weight = (running[first + groups.size] - running[first]) / groups.size
    else:
        weight = np.concatenate(tables)[start[segment] + joined.hit_rank]
    seen = np.bincount(segment, weight, len(joined.length))
    rest[joined.segment_system, joined.segment_topic] = np.array([t.sum() for t in tables])[which] - seen
    rest[np.abs(rest) < 1e-12] = 0.0
    keep = weight != 0
    item_topic = np.repeat(np.arange(n_topics), np.diff(joined.topic_bounds))
    return Weights(system[keep], item[keep], weight[keep], item_topic, rest)


# ── what systems have in common: how much of the same they show, and how much of it the others show, too ─────────────
def discount_weights(measure: Measure, joined: Joined) -> Weights:
    """The weights of a measure's ranks, whatever the labels.

    Measures that are not linear have those of their discount: nDCG those of DCG, recall those of its numerator, AP,
    ERR, RR and all others 1/rank.
    """

    def by_rank(n: int) -> Floats:
        plain = measure.weights(n) if isinstance(measure, Ratio) else 1 / np.arange(1, n + 1, dtype=np.float64)
        return cut(plain, measure.cutoff)

    return weights_by_rank(by_rank, joined)


def cosines(weights: Weights) -> Floats:
    """K: the cosine of every two systems' weights; 0 for a system that shows nothing of the pool."""
    product = products(weights)
    length = np.sqrt(np.diag(product))
    scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
    return np.asarray(product * np.outer(scale, scale), np.float64)


def popularity(weights: Weights) -> Floats:
    """p_s = Σ_d w_sd·(share of systems showing d)/Σ_d w_sd, standardised; 0 for all where all are equally popular.

    >>> w = Weights.from_dense(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 0.0]]), np.zeros(3, np.int64))
    >>> popularity(w).round(3).tolist()
    [-0.707, -0.707, 1.414]
    """
    n = weights.n_systems
    share = np.bincount(weights.item, minlength=weights.n_items) / n
    total = np.bincount(weights.system, weights.weight, n)
    seen = np.bincount(weights.system, weights.weight * share[weights.item], n)
    plain = np.divide(seen, total, out=np.zeros(n), where=total != 0)
    spread = float(plain.std())
    return np.asarray((plain - plain.mean()) / spread if spread > 1e-12 else np.zeros(n), np.float64)


def identical(weights: Weights) -> list[tuple[int, int]]:
    """Pairs of systems that weigh every document of the pool equally."""
    product = products(weights)
    square = np.diag(product)
    away = square[:, None] + square - 2 * product
    same = np.argwhere(np.triu(away <= 1e-12 * np.maximum(square[:, None], square), 1))
    return [(int(a), int(b)) for a, b in same]


def products(weights: Weights) -> Floats:
    """Σ_d w_ad·w_bd of every two systems."""
    n, m = weights.n_systems, int(weights.scored_items.sum())
    if n * n * m <= WORK:
        out = np.zeros((n, n))
        place = (np.cumsum(weights.scored_items) - 1)[weights.item]  # documents that no system shows have no column
        order = np.argsort(place, kind="stable")
        system, column, weight = weights.system[order], place[order], weights.weight[order]
        width = min(max(DENSE // max(n, 1), 1), max(m, 1))
        for first in range(0, m, width):
            a, b = np.searchsorted(column, (first, first + width))
            cell = system[a:b] * width + (column[a:b] - first)
            dense = np.bincount(cell, weight[a:b], n * width).reshape(n, width)
            out += dense @ dense.T
        return out
    from scipy.sparse import csr_array

    shape = (weights.n_systems, weights.n_items)
    table = csr_array((weights.weight, (weights.system, weights.item)), shape=shape)
    return np.asarray((table @ table.T).toarray(), np.float64)
