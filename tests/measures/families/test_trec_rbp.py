"""trec_eval 10's rbp and its residual: another definition than Moffat & Zobel's, and only under its own name."""

from __future__ import annotations

import pytest

import dissensus as ds

RANKING, POOL = [2, 0, 3, 1, None, 0, 1], [2, 0, 3, 1, 0, 1, 3, 1, 0]


def test_the_values_of_the_example() -> None:
    assert ds.measure("TrecRBP").score(RANKING, POOL) == pytest.approx(0.189681, abs=6e-7)
    assert ds.measure("TrecRBPResidual").score(RANKING, POOL) == pytest.approx(0.543907, abs=6e-7)


def test_rbp_is_trec_evals_only_where_its_names_are_asked_for() -> None:
    assert str(ds.measure("rbp")) == "RBP(p=0.8)"
    from dissensus.measures.catalog import measure

    assert str(measure("rbp", trec_eval=True)) == "TrecRBP"
