"""Keys and their rows sorted, against numpy's stable sort."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.data.join.sorting import BLOCK, sort_pairs


@pytest.mark.parametrize("n", [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5, 1000, 4 * BLOCK + 1])
@pytest.mark.parametrize("distinct", [1, 5, 2**62])
def test_keys_are_sorted_and_equal_ones_keep_their_order(n: int, distinct: int) -> None:
    rng = np.random.default_rng(n)
    key = rng.integers(-distinct, distinct, n + 3)
    row = rng.permutation(n + 3)
    order = np.argsort(key[:n], kind="stable")
    expected = np.r_[key[:n][order], key[n:]], np.r_[row[:n][order], row[n:]]
    sort_pairs(key, row, np.empty_like(key), np.empty_like(row), n)
    assert np.array_equal(key, expected[0])
    assert np.array_equal(row, expected[1])
