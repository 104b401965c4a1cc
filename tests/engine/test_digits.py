"""Numbers as text, as Python writes them."""

from __future__ import annotations

import numpy as np

from dissensus.engine.digits import digits_of
from dissensus.tables.ids import IdColumn


def test_every_number_is_written_as_python_writes_it() -> None:
    rng = np.random.default_rng(0)
    edges = [0, 9, 10, 99, 100, 10**9 - 1, 10**18 - 1, 10**18, 2**63 - 1]
    values = np.array([*edges, *(rng.integers(0, 10**k) for k in range(1, 19) for _ in range(20))], np.int64)
    text, start, length, key = digits_of(values, 8)
    assert [bytes(text[a : a + n]).decode() for a, n in zip(start, length.tolist(), strict=True)] == [
        str(v) for v in values.tolist()
    ]
    assert len(text) == int(start[-1]) + int(length[-1]) + 8
    assert key.tolist() == IdColumn.from_strings([str(v) for v in values.tolist()]).keys.tolist()


def test_no_numbers_are_no_text() -> None:
    text, start, length, key = digits_of(np.empty(0, np.int64), 0)
    assert len(text) == len(start) == len(length) == len(key) == 0
