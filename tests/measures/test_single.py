"""One ranking scored alone: what is taken for a grade, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.single import pool_of, ranked_grades, score_all


@pytest.mark.parametrize("wrong", [[1.5], [True], ["relevant"], [200]])
def test_what_is_not_a_grade_is_refused(wrong: list) -> None:
    with pytest.raises(InputError, match=r"\[0\]"):
        ds.measure("P@1").score(wrong, scale=None)


def test_names_of_a_scale_are_grades() -> None:
    assert ds.measure("P(rel=2)@2").score(["bad", "good"], scale=["bad", "fair", "good"]) == 0.5


def test_the_pool_must_hold_the_ranking() -> None:
    with pytest.raises(InputError, match="more often than the pool"):
        ds.measure("AP").score([1, 1], pool=[1, 0])


def test_rankings_by_rank_are_what_the_join_holds() -> None:
    joined = random_collection(2, assessors=2).joined
    m = ds.measure("P@5")
    expected = score_all(m, joined)
    segment = 0
    s, t = int(joined.segment_system[segment]), int(joined.segment_topic[segment])
    grades = ranked_grades(joined, segment, 0)
    assert len(grades) == joined.length[segment]
    np.testing.assert_allclose(expected[0, s, t], m.compute(grades, pool_of(joined, t, 0), joined.scale))
