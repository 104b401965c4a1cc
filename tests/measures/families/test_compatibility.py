"""Compat: overlap with the ideal ranking, by ranks and not by scores."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.errors import InputError


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
    with pytest.raises(InputError, match="more often than the pool"):
        ds.measure("Compat").score([1], [3, 0])
    with pytest.raises(InputError, match="the pool has none"):  # axioms fix one pool for all rankings
        ds.check_axioms("Compat", 3, "0..3")
