"""AP from draws of relevance, and what one document's label does to it: all documents, systems and draws of a topic.

    AP_s = Q_s/R,   Q_s = Σ_r y_r(Σ_{j≤r} y_j)/r,   R = Σ y over the pool;   0 where R = 0.

If document d had the other label, Q would change by a = (1 + Σ_above y)/r + Σ_below y/r' (0 where s does not show d).
So its effect, AP with y_d = 1 less AP with y_d = 0, is

    y_d = 0:   (Q + a)/(R + 1) − Q/R,      y_d = 1:   Q/R − (Q − a)/(R − 1),

which is linear in a. The part without a is one matrix product for all documents, and only shown ones need their a.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.engine.compiled import compiled
from dissensus.inference.correction.weights import Weights


@dataclass(frozen=True, eq=False)
class TopicRankings:
    """The rankings of one topic with `size` documents: entries by system and rank, documents numbered in the topic.

    System `owner[i]` has the entries from `first[i]` to `last[i]`.
    """

    systems: int
    size: int
    item: Ints
    inverse: Floats  # 1/rank
    owner: Ints
    first: Ints
    last: Ints

    def effects(self, y: Floats) -> tuple[Floats, Floats]:
        """(AP, systems × draws; the mean effect of every document, systems × documents) of 0/1 labels (× draws)."""
        q, change, now, without, with_ = self._parts(y)
        effect = (q @ without)[:, None] + (q * (with_ - without)) @ y.T
        np.add.at(effect, (self._system, self.item), change.sum(axis=1))
        return q * now, effect / y.shape[1]

    def moments(self, y: Floats) -> tuple[Floats, Floats]:
        """The mean and the variance over systems of every document's effect, documents × draws."""
        q, change, _, without, with_ = self._parts(y)
        plain = without + y * (with_ - without)  # times Q
        own = q[self._system]
        total, cross, square = (np.zeros_like(y) for _ in range(3))
        for out, part in ((total, change), (cross, change * own), (square, change**2)):
            np.add.at(out, self.item, part)
        mean = (plain * q.sum(axis=0) + total) / self.systems
        second = (plain**2 * (q**2).sum(axis=0) + 2 * plain * cross + square) / self.systems
        return mean, np.maximum(second - mean**2, 0.0)

    @cached_property
    def _system(self) -> Ints:
        """The system of every entry."""
        return np.repeat(self.owner, self.last - self.first)

    def _parts(self, y: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """Q (systems × draws), what a adds to the effect of entries (× draws), 1/R, and factors of Q by label."""
        number = y.sum(axis=0)
        more, now, fewer = (reciprocal(number + k) for k in (1, 0, -1))
        q: Floats = np.zeros((self.systems, y.shape[1]))
        change = np.empty((len(self.item), y.shape[1]))
        label_effects(
            0, len(self.owner), self.first, self.last, self.item, self.inverse, self.owner, y, more, fewer, q, change
        )
        return q, change, now, more - now, now - fewer


@compiled
def label_effects(lo, hi, first, last, item, inverse, owner, y, more, fewer, q, change):  # type: ignore[no-untyped-def]
    """q[s, n] = Q of every draw; change[h, n] = a·(1/(R + 1) or 1/(R − 1))."""
    draws = y.shape[1]
    count = np.empty(draws)
    below = np.empty(draws)
    for i in range(lo, hi):
        count[:] = 0.0
        below[:] = 0.0
        s = owner[i]
        for h in range(first[i], last[i]):
            d, r = item[h], inverse[h]
            for n in range(draws):
                count[n] += y[d, n]
                q[s, n] += y[d, n] * count[n] * r
        for h in range(last[i] - 1, first[i] - 1, -1):
            d, r = item[h], inverse[h]
            for n in range(draws):
                here = y[d, n]
                count[n] -= here
                rate = more[n] + here * (fewer[n] - more[n])
                change[h, n] = ((1.0 + count[n]) * r + below[n]) * rate
                below[n] += here * r


def reciprocal(number: Floats) -> Floats:
    """1/number, 0 where there is none.

    >>> reciprocal(np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(1.0, number, out=np.zeros_like(number), where=number > 0)


@dataclass(frozen=True, eq=False)
class Rankings:
    """All rankings; the weight of a document is 1/rank."""

    weights: Weights

    @cached_property
    def bounds(self) -> Ints:
        """Where each topic's documents begin, and the end."""
        return np.searchsorted(self.weights.item_topic, np.arange(self.weights.n_topics + 1))

    @cached_property
    def _ordered(self) -> tuple[Ints, Ints]:
        """(entries by topic, system and rank; where each topic's begin, and the end)."""
        w = self.weights
        topic = w.item_topic[w.item]
        order = np.lexsort((-w.weight, w.system, topic))
        return order, np.searchsorted(topic[order], np.arange(w.n_topics + 1))

    def topic(self, q: int) -> TopicRankings:
        """The rankings of one topic."""
        order, start = self._ordered
        mine = order[start[q] : start[q + 1]]
        w, begin, end = self.weights, int(self.bounds[q]), int(self.bounds[q + 1])
        owner, first = np.unique(w.system[mine], return_index=True)
        last = np.append(first[1:], len(mine))
        return TopicRankings(w.n_systems, end - begin, w.item[mine] - begin, w.weight[mine], owner, first, last)
