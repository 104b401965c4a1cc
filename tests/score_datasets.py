"""Per-topic scores as `ds.evaluate` returns them, from arrays."""

from __future__ import annotations

import numpy as np
import xarray as xr


def dataset(values, measure="AP", attrs=None):
    """values: assessors × systems × topics"""
    values = np.asarray(values, float)
    coords = {
        "assessor": [f"j{i}" for i in range(values.shape[0])],
        "system": [f"s{i}" for i in range(values.shape[1])],
        "topic": [str(i) for i in range(values.shape[2])],
    }
    return xr.Dataset({measure: (("assessor", "system", "topic"), values)}, coords=coords, attrs=attrs or {})


def three_systems():
    """40 topics; the second system is better by 0.02, the third by 0.15."""
    rng = np.random.default_rng(0)
    topic = rng.random(40)
    return dataset([[topic + 0.1 * rng.normal(size=40) + shift for shift in (0.0, 0.02, 0.15)]])
