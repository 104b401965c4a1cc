"""Σ w(rank)·v(grade), by loops; a shift of the weights per ranking; hits down to a cut-off."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, grades_of, hits, rankings, twin

from dissensus.measures.kernels.linear import add_up, binary_sums, hits_within, linear_sums, walked

VALUE = {0: 0.5, 1: 1.0, 2: 4.0, 3: -2.0}
WEIGHT = np.random.default_rng(0).random(120)
WEIGHT[4] = 0.0


def test_linear_sums_with_weights_of_their_own_for_every_ranking() -> None:
    joined = rankings()
    offset = np.arange(len(joined.length), dtype=np.int64) * 3
    table = np.zeros(256)
    for grade, value in VALUE.items():
        table[grade + 128] = value
    out, slow = empty(joined), empty(joined)
    linear_sums(*hits(joined), joined.hit_rank, joined.hit_item, WEIGHT, offset, joined.labels, table, out)
    for s, a in np.ndindex(slow.shape):
        slow[s, a] = sum(WEIGHT[offset[s] + r] * VALUE.get(g, 0.0) for r, g in enumerate(grades_of(joined, s, a)))
    np.testing.assert_allclose(out, slow, atol=1e-12)


def test_binary_sums() -> None:
    joined = rankings(1)
    out = empty(joined)
    offset = np.zeros(len(joined.length), np.int64)
    binary_sums(*hits(joined), joined.hit_rank, joined.hit_item, WEIGHT, offset, joined.labels, np.int8(2), out)
    slow = twin(joined, lambda grades, pool: sum(WEIGHT[r] for r, g in enumerate(grades) if g >= 2))
    np.testing.assert_allclose(out, slow, atol=1e-12)


def test_hits_within_a_cutoff() -> None:
    joined = rankings(2)
    for cutoff in (1, 7, 1000):
        ends = hits_within(joined.hits, joined.hit_rank, cutoff)
        for s, end in enumerate(ends.tolist()):
            own = range(int(joined.hits[s]), int(joined.hits[s + 1]))
            assert [h for h in own if joined.hit_rank[h] <= cutoff] == list(range(own.start, end))


def test_the_steps_of_rankings_and_their_sums() -> None:
    rng = np.random.default_rng(0)
    first = np.array([0, 4, 4, 9])
    last = np.array([3, 4, 8, 12])  # one ranking without hits, some cut off before the next begins
    steps = [(s, h) for s in range(1, 4) for h in range(first[s], last[s])]
    segment, hit = walked(1, 4, first, last)
    assert list(zip(segment.tolist(), hit.tolist(), strict=True)) == steps
    for assessors in (2, 9):  # one assessor at a time, and one step at a time
        values, out = rng.random((len(steps), assessors)), np.ones((4, assessors))
        add_up(segment, values.__getitem__, out)
        slow = np.ones((4, assessors))
        for (s, _), value in zip(steps, values, strict=True):
            slow[s] += value
        np.testing.assert_allclose(out, slow, atol=1e-14)
