"""Inferred AP: AP where everything is judged, an estimate where a sample is."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds


def test_the_values_of_the_examples() -> None:
    score = ds.measure("infAP").score
    assert score([2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]) == pytest.approx(0.498016, abs=6e-7)
    assert score([1, -1, None, 0, -1, 1], [1, -1, 0, -1, 1, 1]) == pytest.approx(0.5, abs=1e-5)


def test_with_every_document_judged_it_is_ap() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        ranking = [1, *rng.integers(0, 2, 20).tolist()]
        plain = ds.measure("AP").score(ranking, [*ranking, 1])
        assert ds.measure("infAP").score(ranking, [*ranking, 1]) == pytest.approx(plain, abs=1e-4)
