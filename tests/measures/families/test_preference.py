"""bpref: pairs of relevant and judged non-relevant documents."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_twins import empty, hits, rankings, twin

import dissensus as ds
from dissensus.engine.walks import bpref_sums
from dissensus.measures.families.preference import Bpref


def test_unjudged_documents_change_nothing() -> None:
    judged, pool = [1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 1]
    with_gaps = [None, 1, -1, 0, 1, None, 0, 1]
    assert Bpref().score(with_gaps, [*pool, -1]) == Bpref().score(judged, pool)


def test_more_non_relevant_documents_than_relevant_ones_count_no_further() -> None:
    assert Bpref().score([0, 0, 0, 1], [0, 0, 0, 1]) == 0
    assert Bpref().score([0, 1, 1], [0, 1, 1, 0, 0]) == pytest.approx((1 - 1 / 2) * 2 / 2)
    assert Bpref().score([1], [1]) == 1
    assert np.isnan(Bpref().score([0], [0]))


def test_by_hand() -> None:
    # R = 2, N = 2: the first relevant has no non-relevant above, the second has one of two
    assert ds.measure("Bpref").score([1, None, 0, 1, 0], [1, 1, 0, 0]) == pytest.approx((1 + 1 / 2) / 2)


def test_without_judged_nonrelevant_documents_it_is_recall() -> None:
    assert ds.measure("Bpref").score([1, None], [1, 1]) == pytest.approx(0.5)


def test_grades_below_zero_are_not_judged() -> None:
    m = ds.measure("Bpref")
    assert m.score([-1, 1, 0], [-1, 1, 0]) == m.score([None, 1, 0], [1, 0])


def test_bpref_sums() -> None:
    joined = rankings()

    def slow(grades: list[int], pool: list[int]) -> float:
        relevant = sum(g >= 2 for g in pool)
        others = len(pool) - relevant
        total = 0.0
        for k, grade in enumerate(grades):
            if grade >= 2:
                n = sum(0 <= g < 2 for g in grades[:k])
                total += 1 - min(n, relevant) / min(others, relevant) if n else 1
        return total

    relevant = joined.pool_counts[..., 2:].sum(axis=-1)[joined.segment_topic].astype(float)
    bound = np.minimum(joined.pool_counts.sum(axis=-1)[joined.segment_topic] - relevant, relevant)
    out = empty(joined)
    bpref_sums(*hits(joined), joined.hit_item, joined.labels, np.int8(2), bound, relevant, out)
    np.testing.assert_allclose(out, twin(joined, slow), atol=1e-13)
    assert out.max() > 0.5
