"""Walks on a weighted graph: a rank weighs the sum of its edges, divided by how fast the walk leaves it."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, hits, rankings, twin

from dissensus.measures.kernels.markov import walks_on_all, walks_on_relevant

ALPHA = 1.0 / (np.arange(200) + 1.0)
STAY = np.random.default_rng(0).random(200) + 0.5


def watched(grades: list[int], edges: list[list[int]], recall: bool) -> float:
    """MP from the edges between ranks (from 0), watched on the relevant ones."""
    relevant = [r for r, g in enumerate(grades) if g >= 1]
    if not relevant:
        return 0.0
    weight = {r: STAY[r] * sum(ALPHA[abs(r - k)] for k in edges[r]) for r in relevant}
    if len(relevant) == 1:
        weight = {relevant[0]: 1.0}
    precision = {r: (i + 1) / (r + 1) for i, r in enumerate(relevant)}
    score = sum(weight[r] * precision[r] for r in relevant) / sum(weight.values())
    return score * len(relevant) if recall else score


@pytest.mark.parametrize("recall", [False, True])
def test_walks_on_all_documents(recall: bool) -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        ranks = range(len(grades))
        return watched(grades, [[k for k in ranks if k != r] for r in ranks], recall)

    reach = np.concatenate([[0.0], np.cumsum(ALPHA[1:])])
    out = empty(joined)
    walks_on_all(
        *hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), joined.length, reach, reach, STAY,
        recall, out,
    )  # fmt: skip
    one = joined.length == 1  # a ranking of one document has no edge: the walk stays
    np.testing.assert_allclose(out[~one], twin(joined, slow)[~one], atol=1e-12)


@pytest.mark.parametrize("neighbours", [False, True])
@pytest.mark.parametrize("recall", [False, True])
def test_walks_on_relevant_documents(neighbours: bool, recall: bool) -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        relevant = [r for r, g in enumerate(grades) if g >= 1]
        edges: list[list[int]] = [[] for _ in grades]
        for i, r in enumerate(relevant):
            edges[r] = [k for j, k in enumerate(relevant) if i != j and (not neighbours or abs(i - j) == 1)]
        return watched(grades, edges, recall)

    out = empty(joined)
    walks_on_relevant(
        *hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), ALPHA, STAY, neighbours, recall, out
    )
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)
