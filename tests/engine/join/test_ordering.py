"""Rank order and duplicates, against sorting in plain Python."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from dissensus.engine.join.grouping import group
from dissensus.engine.join.ordering import count_repeats, first_duplicate, rank
from dissensus.tables.ids import IdColumn


def column(names):
    ids = IdColumn.from_strings(names).packed()
    return ids, ids.key, ids.start.astype(np.uint32), ids.length.copy()


@pytest.mark.parametrize("distinct", [1, 3, 1000])
def test_rank_order(distinct):
    rng = np.random.default_rng(distinct)
    names = [f"d{i}" for i in rng.permutation(2000)]
    score = rng.integers(0, distinct, 2000).astype(float)
    bounds = np.sort(np.r_[0, rng.integers(0, 2000, 30), 2000]).astype(np.int64)
    score[score == 1] = -0.0  # one score with 0.0
    score[bounds[3] : bounds[6]] = np.sort(score[bounds[3] : bounds[6]])[::-1]  # some are in order already
    ids, key, start, length = column(names)
    expected = []
    for a, b in itertools.pairwise(bounds):
        expected += sorted(range(a, b), key=lambda r: (score[r] + 0.0, names[r].encode()), reverse=True)
    scores, keys = score.copy(), key.copy()
    rank(bounds, scores, keys, ids.text, start, length)
    assert np.array_equal(scores, score[expected])
    assert np.array_equal(keys, key[expected])
    assert np.array_equal(start, ids.start[expected])


def test_duplicates():
    names = [f"d{i}" for i in range(500)] + [f"d{i}" for i in range(500)]
    ids, key, start, length = column(names)
    text = ids.text
    assert first_duplicate(np.array([0, 500, 1000]), key, text, start, length) == (-1, -1)
    assert first_duplicate(np.array([0, 510, 1000]), key, text, start, length) == (0, 500)
    # equal hashes do not make equal documents
    assert first_duplicate(np.array([0, 500]), np.zeros(1000, np.uint64), text, start, length) == (-1, -1)


def test_groups_of_judgments():
    rng = np.random.default_rng(5)
    names = [f"{'x' * int(rng.integers(0, 12))}{rng.integers(0, 30)}" for _ in range(600)]
    ids, _, start, length = column(names)
    who = rng.integers(0, 3, 600).astype(np.int32)
    rows, bounds = np.arange(600), np.array([0, 100, 100, 350, 600])
    text = np.r_[ids.text, np.zeros(8, np.uint8)]
    item = group(rows, bounds, text, start, length, who)
    expected, items = [], []
    for a, b in itertools.pairwise(bounds):
        expected += sorted(range(a, b), key=lambda r: (names[r].encode(), who[r]))
        items += [(a, names[r]) for r in expected[len(items) :]]
    assert rows.tolist() == expected
    numbers = {pair: n for n, pair in enumerate(dict.fromkeys(items))}
    assert item.tolist() == [numbers[pair] for pair in items]


def test_repeats_are_counted_within_segments():
    rng = np.random.default_rng(2)
    key = rng.integers(0, 40, 300).astype(np.uint64)
    bounds = np.array([0, 1, 1, 120, 300])
    expected = sum(b - a - len(set(key[a:b].tolist())) for a, b in itertools.pairwise(bounds))
    assert count_repeats(bounds, key) == expected
