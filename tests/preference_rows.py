"""Preferences of a few rows, and of simulated judges with known discrimination and position bias."""

from __future__ import annotations

import numpy as np

import dissensus as ds

ROWS = [
    ("q", "d1", "d2", "ann", "a", "ab"),
    ("q", "d2", "d1", "bob", "a", "ab"),
    ("q", "d1", "d3", "ann", "same", "ba"),
    ("r", "d9", "d4", "ann", "d4", ""),
]


def simulated(seed: int, topics: int, judges: dict[str, tuple[float, float]], items: int = 4) -> ds.Preferences:
    """Systems compared on every topic; each judge has a discrimination and a liking for the first place."""
    rng = np.random.default_rng(seed)
    theta = np.linspace(0.8, -0.8, items)
    rows = []
    for t in range(topics):
        for a in range(items):
            for b in range(a + 1, items):
                for name, (gamma, bias) in judges.items():
                    first = rng.random() < 0.5
                    p = 1 / (1 + np.exp(-(gamma * (theta[a] - theta[b]) + (bias if first else -bias))))
                    rows.append((t, f"s{a}", f"s{b}", name, "a" if rng.random() < p else "b", "ab" if first else "ba"))
    return ds.Preferences.from_rows(rows)
