"""What comes back from a workspace is what went in, to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from refusals import refused

from dissensus.errors import WorkspaceError
from dissensus.work.payload import decode, encode

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
keys = st.text(max_size=5) | st.sampled_from(["~tuple", "~array", "~dict"])
trees = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(trees)
def test_plain_values_come_back_equal_and_of_the_same_type(value: Any) -> None:
    back = decode(encode(value))
    assert back == value
    assert repr(back) == repr(value)  # tuples, -0.0, True against 1


@settings(deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.int8, np.int64, np.float32, np.float64, np.bool_, np.dtype("U3")]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0),
    )
)
def test_arrays_come_back_bit_by_bit(array: np.ndarray) -> None:
    back = decode(encode({"a": array, "b": (array, 1)}))["b"][0]
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


def test_scalars_nan_and_memory_order() -> None:
    back = decode(encode([np.float32(0.1), math.nan, np.asfortranarray(np.arange(6.0).reshape(2, 3))]))
    assert isinstance(back[0], np.float32)
    assert back[0] == np.float32(0.1)
    assert math.isnan(back[1])
    np.testing.assert_array_equal(back[2], [[0, 1, 2], [3, 4, 5]])
    back[2][0, 0] = 9.0  # writable, like what was written


@pytest.mark.parametrize("value", [object(), {1.5: 2}, np.array([object()]), {"a": {3}}])
def test_what_has_a_class_of_its_own_is_refused(value: object) -> None:
    with refused(WorkspaceError):
        encode(value)


def test_keys_may_be_numbers_and_tuples() -> None:
    value = {("a", 1): [0.5], 7: {"~items": 1}, "plain": None}
    assert decode(encode(value)) == value
