"""Novelty over intents, with every document's intents as a set."""

from __future__ import annotations

import numpy as np

from dissensus.measures.kernels.novelty import greedy_sums, intent_precision_sums, novelty_sums

RNG = np.random.default_rng(4)
ITEMS, OWNER = 14, np.array([0, 0, 0, 1, 1], np.int64)  # five intents: three of one assessor, two of the other
RELEVANT = RNG.random((ITEMS, len(OWNER))) < 0.35
START = np.concatenate([[0], np.cumsum(RELEVANT.sum(axis=1))]).astype(np.int64)
COLUMNS = np.concatenate([*(np.flatnonzero(row) for row in RELEVANT), [0]]).astype(np.uint32)
RANKINGS = [RNG.permutation(ITEMS)[:n].astype(np.int32) for n in (14, 5, 9)]
HITS = np.cumsum([0, *(len(r) for r in RANKINGS)]).astype(np.int64)
RANK = np.concatenate([np.arange(1, len(r) + 1) for r in RANKINGS]).astype(np.int32)
ITEM = np.concatenate(RANKINGS).astype(np.int32)
DELTA = 1 / np.log2(np.arange(2, 20, dtype=np.float64))


def intents(item: int, assessor: int) -> list[int]:
    return [c for c in np.flatnonzero(RELEVANT[item]) if OWNER[c] == assessor]


def test_novelty_sums() -> None:
    out = np.zeros((3, 2))
    novelty_sums(0, 3, HITS[:-1], HITS[1:], RANK, ITEM, START, COLUMNS, OWNER, DELTA, 0.4, out)
    for s, a in np.ndindex(3, 2):
        seen: dict[int, int] = {}
        slow = 0.0
        for r, item in enumerate(RANKINGS[s].tolist()):
            for c in intents(item, a):
                slow += DELTA[r] * 0.4 ** seen.get(c, 0)
                seen[c] = seen.get(c, 0) + 1
        np.testing.assert_allclose(out[s, a], slow, atol=1e-13)


def test_intent_precision_sums() -> None:
    topic = np.array([0, 1, 0], np.int32)
    share = RNG.random((2, len(OWNER)))
    out = np.zeros((3, 2))
    intent_precision_sums(0, 3, HITS[:-1], HITS[1:], RANK, ITEM, START, COLUMNS, OWNER, topic, share, out)
    for s, a in np.ndindex(3, 2):
        slow = 0.0
        for c in np.flatnonzero(a == OWNER):
            ranks = [r for r, item in enumerate(RANKINGS[s], start=1) if RELEVANT[item, c]]
            slow += share[topic[s], c] * sum((i + 1) / r for i, r in enumerate(ranks))
        np.testing.assert_allclose(out[s, a], slow, atol=1e-13)


def test_the_greedy_ideal_takes_what_is_worth_most_next() -> None:
    bounds = np.array([0, 6, ITEMS], np.int64)
    out = np.zeros((2, 2))
    greedy_sums(bounds, START, COLUMNS, OWNER, DELTA, 0.5, out)
    for t, a in np.ndindex(2, 2):
        left = list(range(bounds[t], bounds[t + 1]))
        seen: dict[int, int] = {}
        slow = 0.0
        for r in range(len(left)):
            worth = {i: sum(0.5 ** seen.get(c, 0) for c in intents(i, a)) for i in left}
            best = max(left, key=lambda i: (round(worth[i], 9), i))  # of equal ones the larger id
            left.remove(best)
            slow += DELTA[r] * worth[best]
            for c in intents(best, a):
                seen[c] = seen.get(c, 0) + 1
        np.testing.assert_allclose(out[t, a], slow, atol=1e-12)
