"""The cascade kernel against a user who reads down and stops with probability x."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, hits, rankings, twin

from dissensus.measures.kernels.cascade import cascade_sums


def test_cascade_sums() -> None:
    joined = rankings()
    stops = {0: 0.05, 1: 0.2, 2: 0.5, 3: 1.0}

    def slow(grades: list[int], pool: list[int]) -> float:
        reading, total = 1.0, 0.0
        for rank, grade in enumerate(grades, start=1):
            x = stops.get(grade, 0.0)
            total += reading * x / rank
            reading *= 1 - x
        return total

    table = np.zeros(256)
    for grade, x in stops.items():
        table[grade + 128] = x
    out = empty(joined)
    cascade_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, table, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0.1
