"""The kernel against its obvious twin."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.stats.concordance import count_above


def obvious(other: np.ndarray, rank: np.ndarray) -> list[np.ndarray]:
    above = other[:, None, :] > other[:, :, None]  # row, item, item above it
    better = rank[:, None, :] < rank[:, :, None]
    same = rank[:, None, :] == rank[:, :, None]
    group = (other[:, None, :] == other[:, :, None]).sum(axis=2)
    return [(above & better).sum(axis=2), (above & same).sum(axis=2), above.sum(axis=2), group]


@pytest.mark.parametrize("values", [2, 5, 1000])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_counts(n: int, values: int) -> None:
    rng = np.random.default_rng(n * values)
    other = rng.integers(0, values, (6, n)).astype(float)
    rank = np.array([np.unique(row, return_inverse=True)[1] for row in rng.integers(0, values, (6, n))], np.int64)
    order = np.argsort(-other, axis=1, kind="stable")
    for form in (count_above.fast, count_above.vectorised):
        counts = [np.empty((6, n), np.int64) for _ in range(4)]
        form(order, other, rank, *counts)
        for ours, theirs in zip(counts, obvious(other, rank), strict=True):
            np.testing.assert_array_equal(ours, theirs)
