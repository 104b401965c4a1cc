"""What would settle what is open: rivals of the first, then neighbours, by the same numbers as power says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reported_study import full_outcome
from wording import phrase

from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.engine import margin
from dissensus.reporting.open_questions import NEGLIGIBLE, Question, open_questions, prospect_card, topics_needed


def pair(a: str, b: str, gap: float, p: float = 0.4, se: float = 0.02) -> Difference:
    half = 0.01 if p < 0.05 else 1.0
    return Difference(a, b, "AP", gap, se, (gap - half, gap + half), p, 0.95, "t", df=30.0)


PAIRS = [
    pair("a", "b", 0.05, 0.001), pair("a", "c", 0.06), pair("d", "a", -0.08, 0.001), pair("b", "c", 0.01),
    pair("c", "d", NEGLIGIBLE / 2), pair("b", "d", 0.03),
]  # fmt: skip


def test_who_else_may_be_first_is_asked_before_neighbours() -> None:
    found = open_questions(["a", "b", "c", "d"], PAIRS, lambda d: (7, None))
    assert [(q.a, q.b) for q in found] == [("a", "c"), ("b", "c")]  # c and d hardly differ
    assert found[0].to_dict() == {
        "a": "a",
        "b": "c",
        "difference": 0.06,
        "labels": 7,
        "topics": None,
        "half": (7, None),
    }


def test_the_sign_is_that_of_the_order() -> None:
    found = open_questions(["b", "a"], [pair("a", "b", 0.05)], lambda d: (None, 3))
    assert found[0].difference == pytest.approx(-0.05)


def test_identical_systems_are_asked_about_once() -> None:
    pairs = [pair("a", "t", 0.0, 1.0, 0.0), pair("a", "b", 0.05), pair("t", "b", 0.05)]
    assert [(q.a, q.b) for q in open_questions(["a", "t", "b"], pairs, lambda d: (None, 3), [["a", "t"]])] == [
        ("a", "b")
    ]


def test_topics_grow_with_the_square() -> None:
    d = pair("a", "b", 0.01)
    seen = d.se * margin(30.0)
    labels, topics = topics_needed(d, 50)
    assert labels is None
    assert topics == pytest.approx(50 * (seen / 0.01) ** 2, abs=1)
    assert topics_needed(pair("a", "b", 0.5), 50) == (None, 0)


def test_the_prospect_is_a_range_of_the_first_open_question() -> None:
    found = replace(full_outcome().outcome, headline=replace(full_outcome().outcome.headline, kind="few"))
    card = prospect_card(found, [Question("x", "y", 0.16, 43, 0, (None, None))])
    assert card.value == phrase("open-questions.more-labels", 43)
    assert "0.16" in card.text
    assert "half" in card.text
    topics = prospect_card(found, [Question("x", "y", 0.02, None, 80, (None, 320))])
    assert topics.value == phrase("open-questions.topics-in-all", 80)
    assert topics.text.endswith(" 320.")
    one = replace(found, headline=replace(found.headline, kind="best"))
    assert prospect_card(one, []).tone == "good"
