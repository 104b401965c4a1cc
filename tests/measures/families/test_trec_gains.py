"""binG, G, RnDCG, nDCG_rel: hand values, and the kernels beside the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from kernel_twins import empty, hits, listed, rankings, twin
from random_collections import random_collection

import dissensus as ds
from dissensus.engine.sparse_walks import level_end_sums, lost_gain_sums, relevant_rank_sums, useless_above_sums
from dissensus.measures.single import score_all
from dissensus.tables.collection import Joined

NAMES = ("binG", "binG(rel=2)", "G", "RnDCG", "nDCG_rel")


def test_by_hand() -> None:
    ranking, pool = [2, 0, 1], [2, 1, 1, 0]
    # binG: nothing useless above the first, one above the third
    assert ds.measure("binG").score(ranking, pool) == pytest.approx((1 + 1 / np.log2(3)) / 3)
    # G: the ideal gives 2, 1, 1; lost is 0 at rank 1 and 1 at rank 3
    assert ds.measure("G").score(ranking, pool) == pytest.approx((2 + 1 / np.log2(3)) / 4)
    # RnDCG: the ideal's levels end at ranks 1 and 3; N = 3 is not above R + 1
    whole = (2 + 1 / 2) / (2 + 1 / np.log2(3) + 1 / 2)
    assert ds.measure("RnDCG").score(ranking, pool) == pytest.approx((1 + whole) / 2)
    # nDCG_rel: at ranks 1 and 3, and the last value for the relevant document that was not retrieved
    assert ds.measure("nDCG_rel").score(ranking, pool) == pytest.approx((1 + whole + whole) / 3)


@pytest.mark.parametrize("name", NAMES)
def test_an_ideal_ranking_scores_one_and_an_empty_topic_nothing(name: str) -> None:
    ideal = [3, 2, 2, 1] if "rel" not in name or name == "nDCG_rel" else [3, 2, 2]
    assert ds.measure(name).score(ideal, ideal) == pytest.approx(1)
    assert np.isnan(ds.measure(name).score([0, 0], [0, 0, 0]))


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_is_the_definition_under_many_assessors(name: str) -> None:
    m = ds.measure(name)
    joined = random_collection(11, assessors=9).joined
    fast = np.where(joined.in_topic[:, None], m.scores(joined), np.nan)
    np.testing.assert_allclose(fast, score_all(m, joined), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_labels_off_the_scale_do_not_break_the_kernel(name: str) -> None:
    """Simulated labels may pass the top grade, which the pool does not count."""
    joined = random_collection(3, assessors=2).joined
    labels = joined.labels.copy()
    labels[::5] = 9
    scores = ds.measure(name).scores(joined.with_labels(labels, joined.assessors))
    assert np.isfinite(scores[~np.isnan(scores)]).all()


DISCOUNT = 1 / np.log2(2 + np.arange(400, dtype=np.float64))


def test_useless_documents_above() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        return sum(1 / math.log2(2 + sum(x < 2 for x in grades[:k])) for k, g in enumerate(grades) if g >= 2)

    out = empty(joined)
    useless_above_sums(*hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 2), DISCOUNT, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)


def test_lost_gain() -> None:
    joined = rankings(1)

    def slow(grades: list[int], pool: list[int]) -> float:
        ideal = sorted((g for g in pool if g > 0), reverse=True) + [0] * len(grades)
        total = 0.0
        for r, grade in enumerate(grades, start=1):
            if grade > 0:
                lost = sum(max(i, 1) for i in ideal[:r]) - sum(max(g, 0) for g in grades[:r])
                total += grade / math.log2(2 + lost)
        return total

    out = empty(joined)
    lost_gain_sums(
        *hits(joined), joined.hit_rank, joined.hit_item, *listed(joined, 1), joined.labels, joined.scale.low,
        joined.segment_topic, joined.pool_counts, DISCOUNT, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)


LEVEL_DISCOUNT = 1 / np.log2(2 + np.arange(200, dtype=np.float64))
RUNNING = np.concatenate([[0.0], np.cumsum(LEVEL_DISCOUNT)])
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
        joined.segment_topic, joined.length, ends, inverse, LEVEL_DISCOUNT, out,
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
        joined.segment_topic, level_ends(joined), GAINS, RUNNING, LEVEL_DISCOUNT, out,
    )  # fmt: skip
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-12)
