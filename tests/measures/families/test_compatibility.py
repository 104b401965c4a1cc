"""Compat: 1 for the ideal ranking, and what lowers it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kernel_twins import empty, hits, listed, rankings, twin
from refusals import refused

import dissensus as ds
from dissensus.engine.sparse_walks import overlap_sums
from dissensus.errors import InputError
from dissensus.measures.families.compatibility import Compat

POOL = [3, 2, 2, 0]


def test_the_ideal_ranking_and_nothing_else_reaches_one() -> None:
    scores = {order: Compat(p=0.8).score(order, POOL) for order in set(itertools.permutations(POOL))}
    assert max(scores, key=lambda o: scores[o]) == (3, 2, 2, 0)
    assert scores[3, 2, 2, 0] == pytest.approx(1)
    assert sorted(scores.values())[-2] < 1 - 1e-6


def test_two_relevant_documents_by_hand() -> None:
    """Ranking (0, 1) with one more relevant: the retrieved one is first in the ideal; overlap ½ at depth 2."""
    assert Compat(p=0.5).score([0, 1], [0, 1, 1]) == pytest.approx((0.5 * 1 / 2) / (1 + 0.5))
    assert Compat(p=0.5, normalize=False).score([0, 1], [0, 1, 1]) == pytest.approx((0.5 * 1 / 2) / (1 + 0.5))
    assert np.isnan(Compat().score([0], [0, 0]))


def test_the_values_of_the_example() -> None:
    ranking, pool = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]
    assert ds.measure("Compat").score(ranking, pool) == pytest.approx(0.428516, abs=6e-7)
    assert ds.measure("Compat(normalize=False)").score(ranking, pool) == pytest.approx(0.421057, abs=6e-7)


def test_only_the_order_of_grades_counts() -> None:
    m = ds.measure("Compat(p=0.8)")
    assert m.score([1, 3, 2], [1, 2, 3]) == pytest.approx(m.score([10, 30, 20], [10, 20, 30]))
    assert m.score([3, 2, 1], [1, 2, 3]) == pytest.approx(1)


def test_scores_below_zero_are_ranks_like_all_others() -> None:
    runs = {"s": {"q": {"a": -1.0, "b": -2.0, "c": -3.0}}}
    labels = ds.Judgments.from_dict({"ann": {"q": {"a": 1, "b": 1, "c": 0, "d": 1}}})
    assert ds.evaluate(runs, labels, ["Compat"])["Compat"].item() == pytest.approx(0.894537, abs=6e-7)


def test_a_pool_without_the_rankings_documents_is_refused() -> None:
    with refused(InputError, 1, 0):
        ds.measure("Compat").score([1], [3, 0])
    with refused(InputError, 1):  # axioms fix one pool for all rankings
        ds.check_axioms("Compat", 3, "0..3")


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
