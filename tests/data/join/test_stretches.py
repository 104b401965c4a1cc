"""Stretches of a column copied to other places, by kernel and by numpy, against slices."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.data.join.stretches import copy_stretches, copy_stretches_in_numpy


@pytest.mark.parametrize("copy", [copy_stretches.python, copy_stretches_in_numpy, copy_stretches.fast])
@pytest.mark.parametrize("dtype", [np.float64, np.uint16])
def test_every_stretch_arrives_at_its_place(copy, dtype) -> None:
    column = np.arange(100).astype(dtype)
    first, target, count = np.array([50, 3, 0, 99]), np.array([0, 13, 20, 30]), np.array([10, 4, 0, 1])
    out = np.full(40, 7, dtype)
    expected = out.copy()
    for a, b, n in zip(first, target, count, strict=True):
        expected[b : b + n] = column[a : a + n]
    copy(column, first, target, count, out)
    assert np.array_equal(out, expected)
