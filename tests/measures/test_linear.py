"""How linear measures are laid out: weights per length, denominators per pool."""

from __future__ import annotations

import numpy as np
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.linear import by_system, denominators, lengths, weight_table


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
    base = denominators(ds.measure("R@5"), joined)
    assert np.isnan(base).sum() == (joined.pool_counts[..., 1:].sum(axis=-1) == 0).sum()
    assert by_system(np.zeros((len(joined.length), 2)), joined, missing=-1).min() >= -1
