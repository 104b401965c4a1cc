"""Documents of each grade in the pools."""

from __future__ import annotations

from random_collections import random_dicts

import dissensus as ds
from dissensus.data.tables.collection import join


def test_pool_counts() -> None:
    judged, runs = random_dicts(14, assessors=2)
    j = ds.Judgments.from_dict(judged, scale="0..3")
    joined = join(ds.Runs.from_dict(runs), j)
    for t, topic in enumerate(joined.topics):
        for a, assessor in enumerate(joined.assessors):
            own = list(judged[assessor].get(topic, {}).values())
            assert joined.pool_counts[t, a].tolist() == [own.count(g) for g in range(4)]
