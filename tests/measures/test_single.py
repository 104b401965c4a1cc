"""One ranking at a time: what is a list of grades, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from random_collections import random_collection
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.measures.single import pool_of, ranked_grades, score_all
from dissensus.tables.scale import Scale

FOUR = Scale.range(0, 3)


def test_score_refuses_what_cannot_be() -> None:
    with refused(ds.DissensusError, 1, 2):
        ds.measure("AP").score([1, 1], pool=[1, 0])
    with refused(ds.DissensusError, "ERR"):
        ds.measure("ERR").score([1, 0])
    with refused(ds.DissensusError, "[1]", "0.5"):
        ds.measure("AP").score([1, 0.5])
    with refused(ds.DissensusError, "0…3"):
        ds.measure("AP").score([1, 4], scale=FOUR)
    with refused(ds.DissensusError, "max=1"):
        ds.measure("ERR(max=1)").score([2])
    with refused(ds.DissensusError, 2, "nDCG(gains={0: 0, 1: 1})"):
        ds.measure("nDCG(gains={0: 0, 1: 1})").score([2, 1])


def test_named_grades_can_be_scored() -> None:
    scale = Scale(("Non", "Rel", "HRel"))
    assert ds.measure("P(rel=2)@2").score(["HRel", "Rel"], scale=scale) == 0.5
    gains = ds.measure("nDCG@1").with_gains({"Non": 0, "Rel": 0.3, "HRel": 1})
    assert gains.score(["Rel"], pool=["Rel", "HRel"], scale=scale) == pytest.approx(0.3)


def test_rankings_and_pools_are_the_judgments_by_name() -> None:
    joined = random_collection(2, assessors=2).joined
    runs, judgments = joined.runs, joined.judgments
    grades = {(t, d, a): g for t, d, a, g in judgments.to_frame().select("topic", "doc", "assessor", "grade").rows()}
    s, a = 3, 1
    system, topic = joined.systems[joined.segment_system[s]], joined.topics[joined.segment_topic[s]]
    expected = [grades.get((topic, d, joined.assessors[a]), -128) for d in runs.ranking(system, topic)]
    assert ranked_grades(joined, s, a).tolist() == expected
    own = [g for (t, _, who), g in grades.items() if (t, who) == (topic, joined.assessors[a])]
    assert sorted(pool_of(joined, int(joined.segment_topic[s]), a).tolist()) == sorted(own)


def test_a_topic_that_an_assessor_did_not_judge_has_no_score() -> None:
    joined = random_collection(3, assessors=3).joined
    scores = score_all(ds.measure("P@5"), joined)
    assert (np.isnan(scores).any(axis=1) == ~joined.in_topic).all()


@pytest.mark.parametrize("wrong", ["110", 3, [True], [200], ["x"]])
def test_what_is_not_a_list_of_grades(wrong: object) -> None:
    with pytest.raises(ds.DissensusError):
        ds.measure("AP").score(wrong)


@pytest.mark.parametrize("wrong", [[1.5], [True], ["relevant"], [200]])
def test_what_is_not_a_grade_is_refused(wrong: list) -> None:
    with refused(InputError, "[0]"):
        ds.measure("P@1").score(wrong, scale=None)


def test_names_of_a_scale_are_grades() -> None:
    assert ds.measure("P(rel=2)@2").score(["bad", "good"], scale=["bad", "fair", "good"]) == 0.5


def test_the_pool_must_hold_the_ranking() -> None:
    with refused(InputError, 1, 2):
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
