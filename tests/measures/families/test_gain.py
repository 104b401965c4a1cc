"""Cumulated gain: the ideal against all orders, discounts, and RBP's sum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from refusals import refused

import dissensus as ds
from dissensus.errors import MeasureError
from dissensus.measures.families.gain import CG, DCG, NCG, RBP, ideal, nDCG
from dissensus.tables.scale import Scale


def test_the_ideal_is_the_best_of_all_orders() -> None:
    values, weights = np.array([0.0, 5.0, 2.0, -1.0]), np.array([1.0, 0.7, 0.5, 0.0])  # gains need not rise with grades
    counts = np.array([[1, 1, 2, 1], [0, 0, 0, 2], [3, 0, 1, 0]])
    for row, found in zip(counts, ideal(counts, values, weights), strict=True):
        pool = [values[g] for g, n in enumerate(row) for _ in range(n)] + [
            0.0
        ] * 4  # a worthless document may be left out
        best = max(
            sum(w * v for w, v in zip(weights, order, strict=False)) for order in itertools.permutations(pool, 4)
        )
        assert found == pytest.approx(best)


def test_ndcg_is_dcg_over_the_dcg_of_the_sorted_pool() -> None:
    ranking, pool = [1, 0, 3, 2], [3, 3, 2, 1, 1, 0]
    for k in (2, 4, 10):
        for dcg in ("log2", "jk", "exp-log2", "exp-zipf"):
            best = DCG(dcg=dcg, cutoff=k).score(sorted(pool, reverse=True), pool)
            expected = DCG(dcg=dcg, cutoff=k).score(ranking, pool) / best
            assert nDCG(dcg=dcg, cutoff=k).score(ranking, pool) == pytest.approx(expected)
    assert NCG(cutoff=2).score(ranking, pool) == CG(cutoff=2).score(ranking, pool) / 6


def test_rbp_of_everything_relevant_and_its_gains() -> None:
    for p in (0.5, 0.95):
        assert RBP(p=p).score([1] * 7) == pytest.approx(1 - p**7)
    with refused(MeasureError, 0, 1, "RBP(p=0.8, gains={0: 0, 1: 1, 2: 5})"):
        RBP(gains={0: 0, 1: 1, 2: 5})


def test_relevance_begins_where_gains_do() -> None:
    scale = Scale.range(0, 3)
    assert nDCG(gains={0: 0, 1: 0, 2: 1, 3: 2}).relevant_from(scale) == 2
    assert nDCG(gains={0: 0, 1: 0, 2: 0, 3: 0}).relevant_from(scale) == 4


@pytest.mark.parametrize(
    ("ranking", "value"),
    [((3, 0, 0, 0, 0), 3), ((0, 0, 0, 0, 1), 0.4307), ((0, 0, 1, 1, 1), 1.5616), ((1, 1, 1, 1, 1), 3.5616)],
)
def test_dcg_of_jarvelin_and_kekalainen(ranking: tuple[int, ...], value: float) -> None:
    assert ds.measure("DCG(dcg='jk')").score(list(ranking)) == pytest.approx(value, abs=6e-5)


def test_the_ideal_is_cut_at_k_and_never_at_the_runs_length() -> None:
    pool = [1] * 10
    assert ds.measure("nDCG@3").score([1, 1, 1], pool) == pytest.approx(1)
    assert ds.measure("nDCG").score([1, 1, 1], pool) < 0.7


def test_rbp_is_binary_unless_gains_lie_in_the_unit_interval() -> None:
    assert ds.measure("RBP(p=0.8)").score([4] * 10) == pytest.approx(0.8926, abs=6e-5)
    with refused(MeasureError, 0, 1, "RBP(p=0.8, gains={0: 0, 1: 2})"):
        ds.measure("RBP(gains={0: 0, 1: 2})")
