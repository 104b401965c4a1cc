"""Krippendorff's α against the package of that name."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_matrices import from_matrix

from dissensus.judges.agreement.api import agreement


@st.composite
def sparse_labels(draw: st.DrawFn) -> np.ndarray:
    shape = draw(st.tuples(st.integers(3, 12), st.integers(2, 5)))
    cells = draw(st.lists(st.integers(-1, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
    return np.array(cells).reshape(shape)


@settings(max_examples=40, deadline=None)
@given(sparse_labels())
def test_alpha_is_the_krippendorff_packages(matrix: np.ndarray) -> None:
    matrix[0] = 1
    a = agreement(from_matrix(matrix), resamples=99)
    pairable = matrix[(matrix >= 0).sum(axis=1) >= 2]
    if len(np.unique(pairable[pairable >= 0])) < 2:
        assert np.isnan(a.alpha)
        assert a.alpha.undefined == "one grade"
        return
    data = np.where(matrix >= 0, matrix.astype(float), np.nan).T
    for level in ("nominal", "ordinal", "interval"):
        ours = getattr(a, f"alpha_{level}")
        assert ours == pytest.approx(krippendorff.alpha(data, level_of_measurement=level), abs=1e-10)
