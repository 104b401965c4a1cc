"""Which topics of a score table have gold scores, and what cannot be answered."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused, stated
from score_datasets import dataset
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.correction.gold_topics import gold_topics
from dissensus.measures.scores import ScoreArrays

NAN = np.nan


def arrays(judge, gold, measure="AP"):
    return ScoreArrays.of(dataset([judge, gold], measure))


JUDGE = [[0.5, 0.6, 0.7, 0.8], [0.4, 0.4, 0.6, 0.6]]
GOLD = [[0.4, NAN, 0.5, NAN], [0.4, NAN, 0.5, NAN]]


def test_topics_with_gold_are_those_with_a_score_of_every_system():
    found = gold_topics(arrays(JUDGE, GOLD), "AP", "j1")
    assert found.audited.tolist() == [True, False, True, False]
    assert (found.judge_name, found.gold_name, found.topics) == ("j0", "j1", ("0", "1", "2", "3"))
    assert np.isnan(found.gold[:, 1]).all()


def test_topics_that_the_judge_left_out_are_left_out_and_counted():
    judge = [[0.5, 0.6, NAN, 0.8, 0.2], [0.4, 0.4, 0.6, 0.6, 0.1]]
    gold = [[0.4, NAN, 0.5, NAN, 0.3], [0.4, NAN, 0.5, NAN, 0.2]]
    found = gold_topics(arrays(judge, gold), "AP", "j1")
    assert found.topics == ("0", "1", "3", "4")
    assert found.audited.tolist() == [True, False, False, True]
    assert found.notes[0].startswith(phrase("gold-topics.topic-without-score-every", 1, "j0", 1))


@pytest.mark.parametrize(
    ("judge", "gold", "names", "values"),
    [
        (JUDGE, GOLD, {"gold": "ann"}, ('gold="ann"', "j0", "j1")),
        (JUDGE, GOLD, {"gold": "j1", "assessor": "bob"}, ('assessor="bob"',)),
        (JUDGE, GOLD, {"gold": "j1", "assessor": "j1"}, ('assessor="j1"', 'gold="j1"')),
        (JUDGE, np.full((2, 4), NAN), {"gold": "j1"}, ("j1", "AP")),
        (JUDGE, [[0.4, NAN, 0.5, NAN], [NAN] * 4], {"gold": "j1"}, ("j1", "AP", "s1")),
        (JUDGE, [[0.4, 0.1, 0.5, NAN], [0.4, NAN, 0.5, NAN]], {"gold": "j1"}, ("s1", 1)),
        (JUDGE, [[0.4, NAN, NAN, NAN]] * 2, {"gold": "j1"}, ("j0", "AP", 4)),
        ([[NAN, 0.6, NAN, 0.8]] * 2, GOLD, {"gold": "j1"}, ("j0", "AP", 2)),
        (JUDGE, np.array(GOLD) * 100, {"gold": "j1"}, ("AP", 0, 1, "j1", 50)),
        (np.array(JUDGE) * 5, GOLD, {"gold": "j1"}, ("AP", 0, 1, "j0", 4)),
    ],
)
def test_what_cannot_be_answered_is_named(judge, gold, names, values):
    with refused(InputError, *values):
        gold_topics(arrays(judge, gold), "AP", names["gold"], names.get("assessor"))


def test_scales_of_measures_that_are_not_ours_are_held_against_each_other():
    five = np.array(GOLD) * 10  # 4 and 5, on a scale to 5
    with refused(InputError, "0.8", "j0", 5, "j1"):
        gold_topics(arrays(JUDGE, five, "quality"), "quality", "j1")
    with refused(InputError, "j0", "j1"):
        gold_topics(arrays(np.array(JUDGE) * 5, five * 20, "quality"), "quality", "j1")
    assert gold_topics(arrays(np.array(JUDGE) * 5, five, "quality"), "quality", "j1").audited.sum() == 2
    assert gold_topics(arrays(np.array(JUDGE), five, "DCG@10"), "DCG@10", "j1").audited.sum() == 2  # has no upper end


def test_a_topic_with_gold_for_some_systems_may_count_as_one_without():
    gold = [[0.4, 0.1, 0.5, NAN], [0.4, NAN, 0.5, NAN]]
    found = gold_topics(arrays(JUDGE, gold), "AP", "j1", missing="skip")
    assert found.audited.tolist() == [True, False, True, False]
    assert stated(found.notes, 1, "j1")


def test_several_judges_need_a_name_and_gold_alone_has_none():
    three = ScoreArrays.of(dataset([JUDGE, JUDGE, GOLD]))
    with refused(InputError, "j2", 2, "j0", "j1"):
        gold_topics(three, "AP", "j2")
    assert gold_topics(three, "AP", "j2", "j1").judge_name == "j1"
    with refused(InputError, "j0"):
        gold_topics(ScoreArrays.of(dataset([GOLD])), "AP", "j0")
    with refused(ds.DissensusError, 'measures="P@10"', "AP"):
        gold_topics(three, "P@10", "j2", "j1")
