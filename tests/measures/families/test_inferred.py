"""Inferred AP is AP where everything pooled was judged."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, hits, rankings, twin

import dissensus as ds
from dissensus.engine.walks import inferred_sums
from dissensus.measures.families.average import AP
from dissensus.measures.families.inferred import infAP


def test_with_complete_judgments_it_is_average_precision() -> None:
    ranking, pool = [1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 1, 0]
    assert infAP().score(ranking, pool) == pytest.approx(AP().score(ranking, pool), abs=1e-4)  # up to ε


def test_pooled_documents_count_as_judged_ones_above_do() -> None:
    """Relevant at ranks 1 and 4; of the three above rank 4 all are pooled, 1 of the 2 judged is relevant."""
    expected = (1 + 1 / 4 + 3 / 4 * 1 / 2) / 2
    assert infAP().score([1, 0, -1, 1], [1, 0, -1, 1]) == pytest.approx(expected, abs=1e-5)
    never_pooled = (1 + 1 / 4 + 2 / 4 * 1 / 2) / 2
    assert infAP().score([1, 0, None, 1], [1, 0, 1]) == pytest.approx(never_pooled, abs=1e-5)


def test_the_values_of_the_examples() -> None:
    score = ds.measure("infAP").score
    assert score([2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]) == pytest.approx(0.498016, abs=6e-7)
    assert score([1, -1, None, 0, -1, 1], [1, -1, 0, -1, 1, 1]) == pytest.approx(0.5, abs=1e-5)


def test_with_every_document_judged_it_is_ap() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        ranking = [1, *rng.integers(0, 2, 20).tolist()]
        plain = ds.measure("AP").score(ranking, [*ranking, 1])
        assert ds.measure("infAP").score(ranking, [*ranking, 1]) == pytest.approx(plain, abs=1e-4)


def test_inferred_sums() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        total = 0.0
        for k, grade in enumerate(grades, start=1):
            if grade >= 2:
                above = grades[: k - 1]
                a, b, m = sum(g >= 2 for g in above), sum(0 <= g < 2 for g in above), sum(g > -128 for g in above)
                total += 1 / k + m / k * (a + 0.01) / (a + b + 0.02)
        return total

    out = empty(joined)
    inferred_sums(*hits(joined), joined.hit_rank, joined.hit_item, joined.labels, np.int8(2), 0.01, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0
