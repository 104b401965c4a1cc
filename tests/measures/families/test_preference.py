"""bpref: pairs of relevant and judged non-relevant documents."""

from __future__ import annotations

import numpy as np
import pytest

import dissensus as ds
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
