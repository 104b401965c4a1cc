"""Keys and their rows sorted, against numpy's stable sort; rows sorted by their ids, against Python's."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.engine.join.sorting import BLOCK, SHORT, sort_by_id, sort_pairs
from dissensus.engine.raw_memory import address_of
from dissensus.tables.ids import IdColumn


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


@pytest.mark.parametrize("n", [0, 1, SHORT, SHORT + 1, 5 * SHORT + 3])
@pytest.mark.parametrize("sign", [1, -1])
def test_rows_are_sorted_by_id_and_then_by_another_column(n: int, sign: int) -> None:
    rng = np.random.default_rng(n)
    names = [f"document {i}" for i in rng.integers(0, max(n // 3, 1), n)]
    then = rng.integers(0, 2, n)
    ids = IdColumn.from_strings(names).packed()
    column = np.r_[ids.text, np.zeros(8, np.uint8)], ids.start, ids.length
    for other in (then, None):
        rows = np.arange(n)
        sort_by_id(rows, np.empty(n, np.int64), 0, n, address_of(column[0]), *column[1:], sign, other)
        by_other = range(n) if other is None else sorted(range(n), key=lambda r: then[r])
        assert rows.tolist() == sorted(by_other, key=lambda r: names[r], reverse=sign < 0)
