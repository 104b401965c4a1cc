"""Counts of relevant documents, as sets."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, grades_of, hits, rankings

import dissensus as ds
from dissensus.engine.walks import interpolated, relevant_within
from dissensus.measures.families.precision import Fallout, IPrec, Judged, P, R, Rprec, Success
from dissensus.measures.families.sets import SetF, SetP, SetR

RNG = np.random.default_rng(0)


CASES = [(RNG.integers(0, 3, n).tolist(), RNG.integers(0, 3, 5).tolist()) for n in (1, 4, 9, 15)]


@pytest.mark.parametrize(("ranking", "rest"), CASES)
def test_shares_of_sets(ranking: list[int], rest: list[int]) -> None:
    pool = [*ranking, *rest]
    relevant = sum(g >= 1 for g in pool)
    found = [sum(g >= 1 for g in ranking[:k]) for k in range(30)]
    n = len(ranking)
    assert P(cutoff=7).score(ranking, pool) == pytest.approx(found[7] / 7)
    assert R(cutoff=7).score(ranking, pool) == pytest.approx(found[7] / relevant)
    assert SetP().score(ranking, pool) == pytest.approx(found[n] / n)
    assert SetR().score(ranking, pool) == pytest.approx(found[n] / relevant)
    assert Success(cutoff=2).score(ranking, pool) == float(found[2] > 0)
    assert Rprec(mult=0.5).score(ranking, pool) == pytest.approx(
        found[min(int(0.5 * relevant + 0.9), 29)] / int(0.5 * relevant + 0.9)
    )
    assert Judged(cutoff=4).score([*ranking[:1], None, -1], [*pool, -1]) == 1 / 4
    others = [min(k, n) - found[min(k, n)] for k in range(30)]
    assert Fallout(cutoff=7).score(ranking, pool) == pytest.approx(others[7] / (len(pool) - relevant))
    if found[n]:
        p, r = found[n] / n, found[n] / relevant
        assert SetF(beta=2).score(ranking, pool) == pytest.approx(5 * p * r / (4 * p + r))


def test_interpolated_precision_falls_with_recall() -> None:
    ranking, pool = [1, 0, 1, 0, 0, 1], [1, 0, 1, 0, 0, 1, 1]
    levels = [IPrec(level=x / 10).score(ranking, pool) for x in range(11)]
    assert levels == sorted(levels, reverse=True)
    assert (levels[0], levels[5], levels[-1]) == (1.0, 2 / 3, 0.0)
    assert IPrec(level=0.6, rounding="v10").score(ranking, pool) == 2 / 3  # 2.4 rounds to 2, and to 3 in version 9
    assert IPrec(level=0.6).score(ranking, pool) == 3 / 6


RANKING, POOL = [1, 0, None, 1], [1, 0, 1, 1, 1, 0]  # four relevant, two not


VALUES = {
    "P@10": 0.2, "R@10": 0.5, "Rprec": 0.5, "Fallout@10": 0.5, "Success@1": 1, "Judged@10": 0.3, "IPrec@0.5": 0.5,
    "P(rel=2)@10": 0,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_short_runs_are_divided_by_k_and_by_the_pool(name: str, value: float) -> None:
    assert ds.measure(name).score(RANKING, POOL, "0..2") == pytest.approx(value)


def test_relevant_within_a_depth_for_every_assessor() -> None:
    joined = rankings()
    depth = np.random.default_rng(0).integers(0, 30, (len(joined.length), len(joined.assessors)))
    out = empty(joined)
    relevant_within(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), depth, out)
    for s, a in np.ndindex(out.shape):
        assert out[s, a] == sum(g >= 1 for g in grades_of(joined, s, a)[: depth[s, a]])


def test_interpolated_precision() -> None:
    joined = rankings(1)
    needed = np.random.default_rng(1).integers(0, 6, (len(joined.length), len(joined.assessors)))
    out = empty(joined)
    interpolated(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(1), needed, out)
    for s, a in np.ndindex(out.shape):
        grades = grades_of(joined, s, a)
        found = np.cumsum([g >= 1 for g in grades]).tolist()
        here = [n / k for k, n in enumerate(found, start=1) if n >= needed[s, a]]
        assert out[s, a] == max(here, default=0.0)
