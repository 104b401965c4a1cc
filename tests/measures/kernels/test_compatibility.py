"""Overlap with the ideal ranking, against sets of documents at every depth."""

from __future__ import annotations

import numpy as np
from kernel_twins import empty, hits, listed, rankings, twin

from dissensus.measures.kernels.compatibility import overlap_sums


def slow(grades: list[int], pool: list[int]) -> float:
    """Σ_i .8^(i−1)·|A_i ∩ I_i|/i with both rankings written out."""
    shown = [(rank, g) for rank, g in enumerate(grades) if g > 0]
    rest = [g for g in pool if g > 0]
    for _, g in shown:
        rest.remove(g)
    missed = [(10_000 + k, g) for k, g in enumerate(rest)]
    ideal = sorted([*shown, *missed], key=lambda d: (-d[1], d[0]))
    total = 0.0
    for i in range(1, max(len(grades), len(ideal)) + 1):
        total += 0.8 ** (i - 1) * len({r for r, _ in ideal[:i]} & set(range(min(i, len(grades))))) / i
    return total


def test_overlap_sums() -> None:
    joined = rankings()
    worth = np.where(joined.scale.grades > 0, joined.pool_counts, 0)
    size = worth.sum(axis=-1)
    above = np.ascontiguousarray(size[..., None] - np.cumsum(worth, axis=-1))
    depth = np.maximum(joined.length[:, None], size[joined.segment_topic])
    ranks = np.arange(1, 101)
    running = np.concatenate([[0.0], np.cumsum(0.8 ** (ranks - 1) / ranks)])
    start, who = listed(joined, 1)
    out = empty(joined)
    overlap_sums(
        *hits(joined), joined.hit_rank, joined.hit_item, start, who, joined.labels, joined.scale.low,
        joined.segment_topic, above, depth, running, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)
