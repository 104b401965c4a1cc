"""Exact ceilings of a large learning-to-rank set, beside the simulation they replace."""

from __future__ import annotations

import numpy as np

import dissensus as ds
from bench.rows import Row, best_of
from dissensus.inference.ceiling.api import ceiling

MATRIX = np.array(
    [
        (0.7, 0.15, 0.1, 0.03, 0.02),
        (0.2, 0.5, 0.2, 0.07, 0.03),
        (0.1, 0.2, 0.4, 0.2, 0.1),
        (0.05, 0.1, 0.2, 0.4, 0.25),
        (0.02, 0.05, 0.13, 0.3, 0.5),
    ]
)
QUERIES, DOCUMENTS, SAMPLES = 10_000, 120, 1_000
SIMULATED = 20  # queries that are really simulated; the time of all is in proportion


def collection() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet((5, 2.5, 1.5, 0.7, 0.3), size=QUERIES)
    return {str(q): rng.choice(5, DOCUMENTS, p=p) for q, p in enumerate(shares)}


def numpy_simulation(topics: dict[str, np.ndarray]) -> None:
    """What a user would write: draw labels, sort, weigh; all samples of a query at once."""
    rng = np.random.default_rng(0)
    gain = 2.0 ** np.arange(5) - 1
    discount = 1 / np.log2(np.arange(2, DOCUMENTS + 2))
    reached = MATRIX.cumsum(axis=1)
    for grades in topics.values():
        draw = rng.random((SAMPLES, len(grades)))
        label = (draw[:, :, None] > reached[grades][None, :, :-1]).sum(axis=2)
        order = np.argsort(-(label + rng.random(label.shape)), axis=1)
        (gain[grades][order] @ discount).mean() / (np.sort(gain[grades])[::-1] @ discount)


def run() -> list[Row]:
    topics = collection()
    some = dict(list(topics.items())[:SIMULATED])
    m = ds.measure("nDCG(dcg='exp-log2')")
    ceiling(some, MATRIX, m)  # compiled once
    ceiling(some, MATRIX, m, "normal")
    simulated = best_of(2, lambda: numpy_simulation(some)) * QUERIES / SIMULATED
    peer = f"numpy, {SAMPLES:,} samples"
    what = f"nDCG ceiling of {QUERIES:,} queries × {DOCUMENTS} documents × 5 grades"
    exact = best_of(3, lambda: ceiling(topics, MATRIX, m))
    cut = best_of(3, lambda: ceiling(topics, MATRIX, "nDCG(dcg='exp-log2')@10"))
    normal = best_of(3, lambda: ceiling(topics, MATRIX, m, "normal"))
    note = f"simulation timed on {SIMULATED} queries; promised: under 5 s on two cores"
    return [
        Row(f"{what}, exact", exact, peer, simulated, 20, note),
        Row(f"{what}, exact, @10", cut, peer, simulated, 20),
        Row(f"{what}, Gaussian", normal, peer, simulated),
    ]
