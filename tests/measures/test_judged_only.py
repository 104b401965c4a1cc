"""`judged_only=True`: the judged documents of a ranking alone."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.measures.catalog import measure
from dissensus.measures.judged_only import JudgedOnly


def test_unjudged_documents_leave_before_the_cut_off_and_the_pool_stays() -> None:
    ranking, pool = [None, 1, -1, 0, 1], [1, 0, 1, 1]
    for name in ("P@2", "AP", "nDCG@3", "RR"):
        condensed = measure(name).score([1, 0, 1], pool)
        assert JudgedOnly(measure(name)).score(ranking, pool) == pytest.approx(condensed)
    assert JudgedOnly(measure("AP")).score([None, 1]) == 1


def test_it_has_the_facts_and_the_name_of_its_measure() -> None:
    m = measure("ESL(n=2, judged_only=True)")
    assert isinstance(m, JudgedOnly)
    assert (m.higher_is_better, m.bounded, m.needs_relevant) == (False, False, True)
    assert measure(str(m)) == m
    assert m.shape == "not linear"
    gains = measure("nDCG(judged_only=True)@5").with_gains({0: 0, 1: 3})
    assert str(gains) == "nDCG(gains={0: 0, 1: 3}, judged_only=True)@5"
    assert m.parameters() == {"n": 2, "judged_only": True}


POOL = [2, 0, 3, 1, 0, 1, 3, 1, 0]


def test_the_value_of_the_example() -> None:
    score = ds.measure("AP(judged_only=True)").score([2, 0, 3, 1, None, 0, 1], POOL)
    assert score == pytest.approx(0.513889, abs=6e-7)


@pytest.mark.parametrize("name", ["P@3", "nDCG@4", "RR", "Compat", "INST(max_rel=3)", "G"])
def test_it_is_the_measure_after_condensing(name: str) -> None:
    inner = ds.measure(name)
    head, _, tail = str(inner).partition("@")
    written = head[:-1] + ", judged_only=True)" if head.endswith(")") else f"{head}(judged_only=True)"
    m = ds.measure(written + (f"@{tail}" if tail else ""))
    assert ds.measure(str(m)) == m
    assert m.score([None, 2, -1, 0, None, 1], POOL, "0..3") == inner.score([2, 0, 1], POOL, "0..3")


def test_for_all_measures_it_is_condense() -> None:
    collection = random_collection(4, assessors=3)
    one = collection.evaluate(["AP(judged_only=True)"])["AP(judged_only=True)"]
    np.testing.assert_allclose(one, collection.evaluate(["AP"], unjudged="condense")["AP"])
