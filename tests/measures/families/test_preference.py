"""Bpref: judged pairs only."""

from __future__ import annotations

import pytest

import dissensus as ds


def test_by_hand() -> None:
    # R = 2, N = 2: the first relevant has no non-relevant above, the second has one of two
    assert ds.measure("Bpref").score([1, None, 0, 1, 0], [1, 1, 0, 0]) == pytest.approx((1 + 1 / 2) / 2)


def test_without_judged_nonrelevant_documents_it_is_recall() -> None:
    assert ds.measure("Bpref").score([1, None], [1, 1]) == pytest.approx(0.5)


def test_grades_below_zero_are_not_judged() -> None:
    m = ds.measure("Bpref")
    assert m.score([-1, 1, 0], [-1, 1, 0]) == m.score([None, 1, 0], [1, 0])
