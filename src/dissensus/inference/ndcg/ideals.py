"""The ideal of every topic under gold grades that nobody knows: draws of the counts of grades, never rectified.

nDCG divides a topic's DCG by that of the best ordering of its pool, which depends on the *counts* of grades alone. Each
draw of the chances (`chances`) gives every unaudited document a grade, and so every topic its counts and its ideal I_q:

    i_q = E*[1/I_q],   0 in draws where nothing is relevant.

An audited document corrects the chances that it taught, so what is expected of it must not know its own label.
Importance weights take it out of the draws again:

    ω ∝ 1/max(P(g_d), 0.02),   f_d(−d) = Σω Σ_g v_g P(g),   i_q(−d) = Σ_b P(b; −d) Σω/I_q(g_d → b),

where `P(b; −d)` = Σω P(b). The ideal is not corrected by the audited labels: a form that lets it see them is biased
upwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats, Ints
from dissensus.inference.ndcg.chances import DrawnGrades, TopicPools
from dissensus.measures.families.gain import ideal

ROOM = 1 << 21  # documents × draws held at a time
RARE = 0.02  # chances below this are taken for this in the weights that leave a document out


@dataclass(frozen=True, eq=False)
class Ideals:
    """What is expected of documents and topics; audited documents are in the order of `audited`."""

    mean: Floats  # E*[v_d] of every document, by the model
    spread: Floats  # Var*(v_d) over draws and grades
    inverse: Floats  # 1/I_q, topics × draws, 0 where nothing is relevant
    audited: Ints
    mean_without: Floats  # f_d(−d)
    inverse_without: Floats  # i_q(−d)

    @property
    def expected(self) -> Floats:
        """i_q."""
        return np.asarray(self.inverse.mean(axis=1), np.float64)

    @property
    def answered(self) -> Floats:
        """The chance of every topic that something in it is relevant."""
        return np.asarray((self.inverse > 0).mean(axis=1), np.float64)


def ideals(pool: TopicPools, drawn: DrawnGrades, values: Floats, discounts: Floats, rng: np.random.Generator) -> Ideals:
    """Draw the grades of all unaudited documents, some topics at a time; `values` by level, `discounts` by rank."""
    n, draws = len(pool.gold), drawn.coefficients[0][0].shape[1]
    mean, spread = np.empty(n), np.empty(n)
    inverse = np.zeros((pool.topics, draws))
    seen = np.flatnonzero(pool.audited)
    mean_without, inverse_without = np.empty(len(seen)), np.empty(len(seen))
    for first, last in blocks(pool.bounds, draws):
        items = slice(pool.bounds[first], pool.bounds[last])
        topic = pool.topic[items]
        chance = drawn.at_least(items, topic)
        average = _by_grade(chance.mean(axis=2))
        mean[items] = values @ average
        spread[items] = values**2 @ average - mean[items] ** 2
        start, stop = np.searchsorted(seen, (items.start, items.stop))
        here = seen[start:stop] - items.start
        own = pool.gold[items][here]
        of_audited = _by_grade(chance[:, here])
        chance[:, here] = (own >= np.arange(1, pool.levels)[:, None])[:, :, None]
        luck = rng.random((len(topic), draws))
        reached = np.stack([_counted(luck < step, pool.bounds[first : last + 1] - items.start) for step in chance])
        size = np.broadcast_to(np.diff(pool.bounds[first : last + 1])[:, None], (last - first, draws))
        counts = np.moveaxis(-np.diff(reached, axis=0, prepend=size[None], append=0), 0, -1)  # topics × draws × grades
        inverse[first:last] = _inverse(ideal(counts, values, discounts))
        mean_without[start:stop], inverse_without[start:stop] = _without(
            counts[topic[here] - first], own, of_audited, values, discounts
        )
    return Ideals(mean, spread, inverse, seen, mean_without, inverse_without)


def blocks(bounds: Ints, draws: int) -> Iterator[tuple[int, int]]:
    """Ranges of topics whose documents × draws fit into the room, at least one topic each."""
    first, topics = 0, len(bounds) - 1
    while first < topics:
        last = int(np.searchsorted(bounds, bounds[first] + ROOM // draws, side="right")) - 1
        last = min(max(last, first + 1), topics)
        yield first, last
        first = last


def _by_grade(at_least: Floats) -> Floats:
    """P(G = g) from P(G ≥ g), g = 1…; grades in front."""
    edges = np.concatenate([np.ones_like(at_least[:1]), at_least, np.zeros_like(at_least[:1])])
    return np.asarray(edges[:-1] - edges[1:])


def _counted(hit: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], bounds: Ints) -> Ints:
    """How many documents of each topic are hit, topics × draws."""
    out = np.zeros((len(bounds) - 1, hit.shape[1]), np.int64)
    filled = np.diff(bounds) > 0
    if filled.any():
        out[filled] = np.add.reduceat(hit.view(np.int8), bounds[:-1][filled], axis=0, dtype=np.int32)
    return out


def _inverse(total: Floats) -> Floats:
    """1/I, 0 where nothing is relevant."""
    out: Floats = np.zeros_like(total)
    np.divide(1.0, total, out=out, where=total > 0)
    return out


def _without(counts: Ints, own: Ints, chance: Floats, values: Floats, discounts: Floats) -> tuple[Floats, Floats]:
    """(f_d(−d), i_q(−d)) of audited documents with these counts of their topics (documents × draws × grades).

    `chance` is P(g) in every draw, grades × documents × draws.
    """
    place = np.arange(len(own))
    omega = 1 / np.maximum(chance[own, place], RARE)
    omega /= omega.sum(axis=1, keepdims=True)
    by_grade = np.einsum("dn,gdn->gd", omega, chance)
    others = counts.copy()
    others[place, :, own] -= 1
    total = np.zeros(len(own))
    for b in range(len(values)):
        others[:, :, b] += 1
        total += by_grade[b] * (omega * _inverse(ideal(others, values, discounts))).sum(axis=1)
        others[:, :, b] -= 1
    return values @ by_grade, total
