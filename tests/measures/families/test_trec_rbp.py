"""trec_eval 10's rbp: grades over the topic's best, and what unjudged documents could add."""

from __future__ import annotations

import pytest

import dissensus as ds
from dissensus.measures.families.trec_rbp import TrecRBP, TrecRBPResidual


def test_grades_are_shares_of_the_best_in_the_pool() -> None:
    assert TrecRBP(p=0.5).score([2, 1], [2, 1, 4]) == pytest.approx(0.5 * (2 / 4 + 0.5 * 1 / 4))
    assert TrecRBP(p=0.5).score([0, 0], [0, 0]) == 0  # divided by 1, not by 0


def test_the_residual_is_what_judged_documents_leave() -> None:
    ranking = [1, None, 0, -1, 1]
    judged = 0.1 * sum(0.9**r for r in (0, 2, 4))
    assert TrecRBPResidual(p=0.9).score(ranking) == pytest.approx(1 - judged)
    assert TrecRBPResidual(p=0.9).score([1, 0]) == 0


RANKING, POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]


def test_the_values_of_the_example() -> None:
    assert ds.measure("TrecRBP").score(RANKING, POOL) == pytest.approx(0.189681, abs=6e-7)
    assert ds.measure("TrecRBPResidual").score(RANKING, POOL) == pytest.approx(0.543907, abs=6e-7)


def test_rbp_is_trec_evals_only_where_its_names_are_asked_for() -> None:
    assert str(ds.measure("rbp")) == "RBP(p=0.8)"
    from dissensus.measures.catalog import measure

    assert str(measure("rbp", trec_eval=True)) == "TrecRBP"
