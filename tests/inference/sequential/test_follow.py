"""An audit followed label by label."""

from __future__ import annotations

import pytest
from followed_sample import MEASURE, PAIR, difference, played, sample
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import JudgmentError


def test_a_pair_is_followed_to_its_decision():
    followed = played()
    result = followed.result()
    assert result.table.columns == ["labels", "a", "b", "estimate", "low", "high", "decided"]
    assert result.table["labels"].to_list() == list(range(1, followed.labels + 1))
    assert result.decided_at == followed.labels == result.table.filter("decided")["labels"][0]
    assert result.verdict.winner == "crossenc"
    assert result.table["low"][-1] > 0
    assert result.forecast == result.decided_at


def test_at_the_end_of_the_order_the_set_is_the_truth():
    runs, llm, truth = sample()
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR)
    for topic, doc in reversed(followed.next(10_000)):
        followed.add(topic, doc, truth[topic, doc])
    last = followed.table.row(-1, named=True)
    assert (last["low"], last["high"]) == pytest.approx([difference(*PAIR)] * 2, abs=1e-9)


def test_labels_that_come_out_of_order_wait_for_the_gap():
    runs, llm, truth = sample()
    straight, crooked = (ds.Sequential(runs, llm, MEASURE, systems=PAIR, seed=4) for _ in range(2))
    first = straight.next(20)
    for t, d in first:
        straight.add(t, d, truth[t, d])
    for t, d in first[5:] + first[1:5]:
        crooked.add(t, d, truth[t, d])
    assert (crooked.labels, crooked.waiting, crooked.next()) == (0, 19, [first[0]])
    assert phrase("follow.labels-wait", 19) in crooked.notes()[0]
    crooked.add(*first[0], truth[first[0]])
    assert crooked.table.equals(straight.table)


def test_strangers_and_contradictions_are_refused_and_changes_are_followed_again():
    followed = played(12)
    topic, doc = followed.order.select("topic", "doc").row(3)
    grade = sample()[2][topic, doc]
    with refused(JudgmentError, "q01"):
        followed.add(topic, "unheard-of", 1)
    with refused(JudgmentError, "q01", "d52"):
        followed.add(topic, doc, 3 - grade)
    before = followed.table
    followed.change(topic, doc, 3 - grade)
    assert followed.labels == 12
    assert not followed.table.equals(before)
    followed.change(topic, doc, grade)
    assert followed.table.equals(before)


def test_documents_that_cannot_be_judged_are_bounded():
    runs, llm, truth = sample()
    followed = ds.Sequential(runs, llm, MEASURE, systems=PAIR)
    for i, (t, d) in reversed(list(enumerate(followed.next(10_000)))):
        followed.add(t, d, None if i in (2, 7) else truth[t, d])
    low, high = followed.table.select("low", "high").row(-1)
    assert high - low == pytest.approx(2 / 120)
    assert low - 1e-9 <= difference(*PAIR) <= high + 1e-9
    assert phrase("follow.no-assessor-judge") in followed.notes()[0]
