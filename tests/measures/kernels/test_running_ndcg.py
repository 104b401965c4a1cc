"""nDCG at several depths, each with its ideal ranking written out."""

from __future__ import annotations

import math

import numpy as np
from kernel_twins import empty, hits, listed, rankings, twin

from dissensus.data.tables.collection import Joined
from dissensus.measures.kernels.running_ndcg import level_end_sums, relevant_rank_sums

DISCOUNT = 1 / np.log2(2 + np.arange(200, dtype=np.float64))
RUNNING = np.concatenate([[0.0], np.cumsum(DISCOUNT)])
GAINS = np.array([3.0, 2.0, 1.0])


def dcg(grades: list[int], depth: int) -> float:
    return sum(max(g, 0) / math.log2(r + 2) for r, g in enumerate(grades[:depth]))


def level_ends(joined: Joined) -> np.ndarray:
    """Where the levels 3, 2, 1 of the ideal ranking end, (topic, assessor, level)."""
    return np.ascontiguousarray(np.cumsum(joined.pool_counts[..., 3:0:-1], axis=-1))


def test_level_end_sums() -> None:
    joined = rankings()
    ends = level_ends(joined)
    sizes = joined.pool_counts[..., 3:0:-1]
    with np.errstate(divide="ignore"):
        ideal = np.cumsum(
            GAINS * (RUNNING[ends] - RUNNING[np.concatenate([0 * ends[..., :1], ends[..., :-1]], -1)]), -1
        )
        inverse = np.concatenate(
            [np.where(sizes > 0, 1 / ideal, 0.0), np.where(ideal > 0, 1 / ideal, 0.0)[..., -1:]], -1
        )

    def slow(grades: list[int], pool: list[int]) -> float:
        best = sorted((g for g in pool if g > 0), reverse=True)
        depths = [sum(g >= level for g in best) for level in (3, 2, 1) if level in best]
        if len(grades) > len(best) + 1:
            depths.append(len(grades))
        return sum(dcg(grades, c) / dcg(best, c) for c in depths) if best else 0.0

    out = empty(joined)
    level_end_sums(
        *hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 1), joined.labels, 3,
        joined.segment_topic, joined.length, ends, inverse, DISCOUNT, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)


def test_relevant_rank_sums() -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        best = sorted((g for g in pool if g > 0), reverse=True)
        ranks = [r for r, g in enumerate(grades, start=1) if g > 0]
        total = sum(dcg(grades, r) / dcg(best, r) for r in ranks)
        missed = len(best) - len(ranks)
        return total + (missed * dcg(grades, len(grades)) / dcg(best, len(best)) if missed else 0.0)

    out = empty(joined)
    relevant_rank_sums(
        *hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 1), joined.labels, 3,
        joined.segment_topic, level_ends(joined), GAINS, RUNNING, DISCOUNT, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)
