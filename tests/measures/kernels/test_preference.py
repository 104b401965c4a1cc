"""bpref's sum, counted anew at every relevant document."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, hits, rankings, twin

from dissensus.measures.kernels.preference import bpref_sums


def test_bpref_sums() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        relevant = sum(g >= 2 for g in pool)
        others = len(pool) - relevant
        total = 0.0
        for k, grade in enumerate(grades):
            if grade >= 2:
                n = sum(0 <= g < 2 for g in grades[:k])
                total += 1 - min(n, relevant) / min(others, relevant) if n else 1
        return total

    relevant = joined.pool_counts[..., 2:].sum(axis=-1)[joined.segment_topic].astype(float)
    bound = np.minimum(joined.pool_counts.sum(axis=-1)[joined.segment_topic] - relevant, relevant)
    out = empty(joined)
    bpref_sums(*hits(joined), joined.hit_item, joined.labels, np.int8(2), bound, relevant, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0.5
