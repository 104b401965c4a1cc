"""Noise profiles by name, by matrix, by function."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.noise.profiles import Mixture, as_profiles


def test_names_matrices_functions_and_several() -> None:
    matrix = ds.Confusion([[0.8, 0.2], [0.4, 0.6]])
    family = as_profiles({"mild": "uniform", "measured": matrix})
    assert list(family) == ["mild", "measured"]
    np.testing.assert_allclose(family["measured"](2, 0.5).matrix, [[0.9, 0.1], [0.2, 0.8]])
    assert list(as_profiles(["uniform", "distance"])) == ["uniform", "distance"]
    assert as_profiles(ds.Confusion.uniform).popitem()[1](3, 0.3).matrix[0, 0] == pytest.approx(0.7)


def test_what_is_refused() -> None:
    with refused(InputError, "odd"):
        as_profiles("odd")
    with refused(InputError, 3, 2, by="profiles"):
        Mixture(ds.Confusion([[0.8, 0.2], [0.4, 0.6]]))(3, 0.1)
