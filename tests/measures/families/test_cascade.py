"""Users who stop: a first hit, a satisfying document, the n-th relevant one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kernel_twins import empty, hits, rankings, twin
from refusals import refused

import dissensus as ds
from dissensus.engine.walks import cascade_sums
from dissensus.errors import MeasureError
from dissensus.measures.families.cascade import ERR, ESL, RR


def test_err_of_certain_documents_is_the_reciprocal_rank() -> None:
    """Where the top grade satisfies almost surely, ERR is RR of the top grade times that chance."""
    ranking = [0, 0, 9, 0, 9]
    sure = (2**9 - 1) / 2**9
    expected = sure / 3 + (1 - sure) * sure / 5
    assert ERR(max=9).score(ranking) == pytest.approx(expected)
    assert RR(rel=9).score(ranking) == 1 / 3
    assert RR(rel=9, cutoff=2).score(ranking) == 0


def test_expected_search_length_is_the_mean_over_orders_of_the_rest() -> None:
    """Two relevant and three other documents were not retrieved: all their orders, one by one."""
    ranking, rest = [0, 1, 0], [1, 1, 0, 0, 0]
    for n in (1, 2, 3):
        lengths = []
        for order in set(itertools.permutations(rest)):
            ranks = [r for r, g in enumerate([*ranking, *order], start=1) if g]
            lengths.append(ranks[n - 1] - n)
        assert ESL(n=n).score(ranking, pool=[*ranking, *rest]) == pytest.approx(np.mean(lengths))
    assert np.isnan(ESL(n=4).score(ranking, pool=[*ranking, *rest]))


def test_a_grade_above_the_declared_top_is_refused() -> None:
    with refused(MeasureError, "max=2"):
        ERR(max=2).score([3], scale="0..3")
    with refused(MeasureError, "ERR"):
        ERR().score([1, 0])


@pytest.mark.parametrize(
    ("ranking", "value"),
    [((3, 0, 0, 0, 0), 0.875), ((0, 0, 0, 0, 1), 0.025), ((0, 1, 1, 1, 1), 0.1396), ((1, 1, 1, 1, 1), 0.2472)],
)
def test_err_by_methods(ranking: tuple[int, ...], value: float) -> None:
    assert ds.measure("ERR").score(list(ranking), scale="0..3") == pytest.approx(value, abs=6e-5)


def test_err_needs_a_top_grade() -> None:
    with pytest.raises(MeasureError):
        ds.measure("ERR").score([1, 0])
    assert ds.measure("ERR(max=3)").score([3, 0]) == pytest.approx(0.875)


def test_rr_and_its_cutoff() -> None:
    assert ds.measure("RR").score([0, 0, 1]) == pytest.approx(1 / 3)
    assert ds.measure("RR@2").score([0, 0, 1]) == 0


def test_cascade_sums() -> None:
    joined = rankings()
    stops = {0: 0.05, 1: 0.2, 2: 0.5, 3: 1.0}

    def slow(grades: list[int], pool: list[int]) -> float:
        reading, total = 1.0, 0.0
        for rank, grade in enumerate(grades, start=1):
            x = stops.get(grade, 0.0)
            total += reading * x / rank
            reading *= 1 - x
        return total

    table = np.zeros(256)
    for grade, x in stops.items():
        table[grade + 128] = x
    out = empty(joined)
    cascade_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, table, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0.1
