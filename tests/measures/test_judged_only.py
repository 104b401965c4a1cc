"""judged_only: the measure of the condensed ranking, pool and ideal unchanged."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds

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
