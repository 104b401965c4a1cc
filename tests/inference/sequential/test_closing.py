from __future__ import annotations

import numpy as np
import pytest
from followed_sample import MEASURE, PAIR, played, sample
from sequential_example import example_order, example_walk

import dissensus as ds
from dissensus.inference.sequential.closing import (
    assessors_part,
    between_assessors,
    closing,
    fixed_look,
    model_se,
    topic_variance,
    topics_part,
)
from dissensus.inference.sequential.wealth import LabelSequence


def test_the_fixed_look_of_the_methods_page():
    walk, gold = example_walk()
    estimate, se = fixed_look(walk, gold[:60], example_order().inclusion(60))
    assert (estimate, se) == pytest.approx((-0.000605, 0.047479), abs=5e-7)


def test_a_multiplier_is_a_level():
    at = closing((0.1, 0.02), (0.1, 0.02), 50, 1.959963984540054)
    assert at.level == pytest.approx(0.95)
    assert (at.low, at.high) == pytest.approx((0.1 - 0.0391993, 0.1 + 0.0391993), abs=1e-6)


def test_what_no_assessor_could_judge_is_bounded_at_closing():
    at = closing((0.05, 0.02), (0.15, 0.01), 50, 3.0)
    assert (at.low, at.estimate, at.high) == pytest.approx((-0.01, 0.1, 0.18))


def test_a_judge_that_showed_no_error_still_has_a_standard_error():
    walk, _ = example_walk()
    right = (walk.prior[walk.label] > 0.5).astype(float)[:60]
    inclusion = example_order().inclusion(60)
    assert model_se(walk, right, inclusion) > 2 * fixed_look(walk, right, inclusion)[1] > 0


def test_new_topics_widen_the_set_and_each_part_is_named():
    here, everywhere = played(60), played(60, target="population")
    parts = everywhere.result().details
    assert parts["topics"].min() > 0
    assert here.result().details["topics"].to_list() == [0.0] * 60
    low = everywhere.table["low"] + parts["topics"]
    assert (low[:30] <= here.table["low"][:30] + 1e-9).all()  # the same bets at half of the error


def test_assessors_are_drawn_with_the_order_and_their_disagreement_widens_the_set():
    runs, llm, truth = sample()
    followed = [
        ds.Sequential(runs, llm, MEASURE, systems=PAIR, assessors=("ann", "ben"), mean_assessor=mean, seed=3)
        for mean in (False, True)
    ]
    assert followed[0].order.columns[-1] == "assessor"
    assert set(followed[0].order["assessor"]) == {"ann", "ben"}
    for one in followed:
        for i, (t, d, who) in enumerate(one.order.select("topic", "doc", "assessor").head(40).iter_rows()):
            one.add(t, d, truth[t, d], who)
            other = {"ann": "ben", "ben": "ann"}[who]
            one.add(t, d, 3 - truth[t, d] if i % 10 == 0 else truth[t, d], other)
    part = followed[1].result().details["assessors"]
    assert part[-1] > 0
    assert followed[1].table["low"][-1] < followed[0].table["low"][-1]


def test_the_parts_by_hand():
    assert topics_part(0.04, 25, 0.05) == pytest.approx(2.063899 * 0.2 / 5, abs=1e-6)
    assert assessors_part(np.array([0.3, -0.4]), 0.25, 0.05) == pytest.approx(1.959964 * 0.5 * 0.5, abs=1e-6)


def test_without_two_labels_of_one_document_the_largest_variance_is_taken():
    assert between_assessors([]) == 0.25
    assert between_assessors([(0.0, 1.0)] * 4) == 0.25  # a value in [0, 1] cannot vary more
    assert between_assessors([(0.5, 0.5), (0.5, 0.9)]) == pytest.approx(0.04)


def test_topics_vary_at_least_as_much_as_the_judges_labels_do():
    """Two documents a topic, all labelled: nothing is left of the audit, and the spread is that of the gold values."""
    c, topic = np.full(4, 0.25), np.array([0, 0, 1, 1])
    walk = LabelSequence(c, np.ones(4), np.array([0, 1, 0, 1]), np.array([0.1, 0.9]))
    gold = np.array([1.0, 1.0, 0.0, 0.0])
    got = topic_variance(walk, topic, 2, gold, np.ones(4), np.array([0.0, 1.0]))
    assert got == pytest.approx(np.var([1.0, 0.0], ddof=1))
    alike = topic_variance(walk, topic, 2, np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4), np.array([0.0, 1.0]))
    assert alike == pytest.approx(0.0, abs=1e-12)
