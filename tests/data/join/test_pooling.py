"""Documents of each grade in the pools."""

from __future__ import annotations

import numpy as np
from random_collections import random_dicts

import dissensus as ds
from dissensus.data.join.pooling import pool_counts, pool_counts_in_numpy
from dissensus.data.tables.collection import join


def test_pool_counts() -> None:
    judged, runs = random_dicts(14, assessors=2)
    j = ds.Judgments.from_dict(judged, scale="0..3")
    joined = join(ds.Runs.from_dict(runs), j)
    for t, topic in enumerate(joined.topics):
        for a, assessor in enumerate(joined.assessors):
            own = list(judged[assessor].get(topic, {}).values())
            assert joined.pool_counts[t, a].tolist() == [own.count(g) for g in range(4)]


def test_many_assessors_are_counted_as_few_are() -> None:
    rng = np.random.default_rng(5)
    labels = rng.integers(-2, 5, (40, 30)).astype(np.int8)  # grades below and above the scale, and unjudged ones
    bounds = np.array([0, 11, 11, 40])
    counts = pool_counts.fast(labels, bounds, 0, 4)
    assert np.array_equal(counts, pool_counts.python(labels, bounds, 0, 4))
    assert np.array_equal(counts, pool_counts_in_numpy(labels, bounds, 0, 4))
    for t, a, g in np.ndindex(3, 30, 4):
        assert counts[t, a, g] == (labels[bounds[t] : bounds[t + 1], a] == g).sum()
