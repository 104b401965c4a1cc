"""Weights laid out per ranking length, and sums over hits."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, grades_of, hits, rankings, twin
from random_collections import random_collection

import dissensus as ds
from dissensus.engine.walks import hits_within, linear_sums
from dissensus.measures.catalog import measure
from dissensus.measures.linear import (
    by_system,
    lengths,
    over_pool,
    sparse_walk,
    weight_table,
    weighted_sums,
)
from dissensus.measures.single import ranked_grades


def test_rankings_share_weights_where_their_length_does_not_matter() -> None:
    length = np.array([3, 5, 3, 1])
    weight, offset = weight_table(measure("RBP(p=0.5)"), length)
    assert (len(weight), offset.tolist()) == (5, [0, 0, 0, 0])
    weight, offset = weight_table(measure("SetP"), length)
    for n, start in zip(length, offset, strict=True):
        assert weight[start : start + n].tolist() == pytest.approx([1 / n] * n)
    cut, _ = weight_table(measure("P@2"), length)
    assert cut.tolist() == [0.5, 0.5, 0, 0, 0]


@pytest.mark.parametrize("values", [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.25, 2.0], [1.0, 1.0, 0.0, 0.0]])
def test_sums_by_a_table_or_by_a_comparison(values: list[float]) -> None:
    joined = random_collection(6, assessors=2).joined
    weight = np.random.default_rng(0).random(60)
    start = np.zeros(len(joined.length), np.int64)
    sums = weighted_sums(joined, weight, start, np.array(values), 7)
    for s, a in np.ndindex(sums.shape):
        grades = ranked_grades(joined, s, a).tolist()[:7]
        assert sums[s, a] == pytest.approx(sum(weight[r] * values[g] for r, g in enumerate(grades) if g >= 0))


def test_from_rankings_to_systems_and_topics() -> None:
    joined = random_collection(6, assessors=2).joined
    n = lengths(joined)
    table = by_system(joined.length[:, None] * np.ones(2), joined, missing=-1)
    assert (table[0] == np.where(joined.segment_of >= 0, n, -1)).all()
    assert (n[joined.segment_of < 0] == 0).all()


def test_lists_hold_the_labels_of_a_level_and_above() -> None:
    joined = random_collection(6, assessors=2).joined
    seen = []
    sparse_walk(joined, 2, lambda *given: seen.append(given), "further")
    _, _, _, _, rank, item, start, who, further, _ = seen[0]
    assert (rank is joined.hit_rank, item is joined.hit_item, further) == (True, True, "further")
    for item in range(len(joined.labels)):
        assert who[start[item] : start[item + 1]].tolist() == np.flatnonzero(joined.labels[item] >= 2).tolist()


def test_rankings_share_weights_unless_these_depend_on_the_length() -> None:
    length = np.array([3, 5, 3])
    shared, offset = weight_table(ds.measure("DCG"), length)
    assert len(shared) == 5
    assert offset.tolist() == [0, 0, 0]
    own, offset = weight_table(ds.measure("SetP"), length)
    assert len(own) == 8
    assert offset.tolist() == [5, 0, 5]
    np.testing.assert_allclose(own[5:], 1 / 3)


def test_weights_end_at_the_cutoff() -> None:
    weight, _ = weight_table(ds.measure("DCG@2"), np.array([4]))
    assert (weight[2:] == 0).all()
    assert (weight[:2] > 0).all()


def test_missing_rankings_have_no_length_and_undefined_topics_no_denominator() -> None:
    joined = random_collection(5, assessors=2).joined
    there = lengths(joined)
    assert there.shape == joined.shape[1:]
    assert (there[joined.segment_system, joined.segment_topic] == joined.length).all()
    base = ds.measure("R@5").denominators(joined)
    assert np.isnan(base).sum() == (joined.pool_counts[..., 1:].sum(axis=-1) == 0).sum()
    assert by_system(np.zeros((len(joined.length), 2)), joined, missing=-1).min() >= -1


def test_sums_over_empty_pools_are_undefined() -> None:
    joined = random_collection(6, assessors=2).joined
    base = np.maximum(measure("AP").in_pool(joined), 1)
    base[0, 0] = 0
    table = over_pool(np.ones((len(joined.length), 2)), joined, base)
    assert np.isnan(table[0, :, 0]).all()
    there = joined.segment_of >= 0
    np.testing.assert_allclose(table[1][there], (1 / np.broadcast_to(base[:, 1], there.shape))[there])


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
    linear_sums(*hits(joined), joined.hit_rank, joined.hit_item, WEIGHT, offset, joined.labels, np.int8(0), table, out)
    for s, a in np.ndindex(slow.shape):
        slow[s, a] = sum(WEIGHT[offset[s] + r] * VALUE.get(g, 0.0) for r, g in enumerate(grades_of(joined, s, a)))
    np.testing.assert_allclose(out, slow, atol=1e-12)


def test_linear_sums_of_binary_values() -> None:
    joined = rankings(1)
    out = empty(joined)
    offset = np.zeros(len(joined.length), np.int64)
    known = joined.hit_rank, joined.hit_item, WEIGHT, offset, joined.labels
    linear_sums(*hits(joined), *known, np.int8(2), np.empty(0), out)
    slow = twin(joined, lambda grades, pool: sum(WEIGHT[r] for r, g in enumerate(grades) if g >= 2))
    np.testing.assert_allclose(out, slow, atol=1e-12)


def test_hits_within_a_cutoff() -> None:
    joined = rankings(2)
    for cutoff in (1, 7, 1000):
        ends = hits_within(joined.hits, joined.hit_rank, cutoff)
        for s, end in enumerate(ends.tolist()):
            own = range(int(joined.hits[s]), int(joined.hits[s + 1]))
            assert [h for h in own if joined.hit_rank[h] <= cutoff] == list(range(own.start, end))
