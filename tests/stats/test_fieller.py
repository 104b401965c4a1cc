"""Fieller's set against a grid of values."""

from __future__ import annotations

import math

import numpy as np

from dissensus.stats.fieller import ConfidenceSet, fieller


def test_fieller_agrees_with_a_grid():
    """The slow twin: try every x."""
    rng = np.random.default_rng(0)
    grid = np.linspace(-50, 50, 20001)
    for _ in range(50):
        n, d, vn, vd = rng.normal(), rng.normal(), rng.random(), rng.random() * 0.5
        cov = rng.uniform(-0.9, 0.9) * math.sqrt(vn * vd)
        found = fieller(n, d, math.erf(1.5 / math.sqrt(2)), var_numerator=vn, var_denominator=vd, cov=cov)
        inside = (n - grid * d) ** 2 <= 1.5**2 * (vn - 2 * grid * cov + grid**2 * vd)
        assert [x in found for x in grid[::40]] == inside[::40].tolist()
    assert str(ConfidenceSet(((-math.inf, 1.0), (2.0, math.inf)))) == "(−∞, 1.0000] ∪ [2.0000, ∞)"
