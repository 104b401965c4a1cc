"""When one contrast is decided."""

from __future__ import annotations

import pytest
from followed_sample import PAIR, difference, played
from sequential_example import example_walk

from dissensus.inference.sequential.stop import Track


def test_the_example_is_decided_for_b_at_165():
    walk, gold = example_walk()
    track = Track(walk, ("a", "b"), alpha=0.05, level=0.95)
    track.advance(gold)
    assert track.decided_at == 165
    assert track.verdict().winner == "b"
    assert track.looks[59].rule == "exact"
    assert track.looks[164].rule == "asymptotic"
    assert track.looks[164].multiplier == pytest.approx(3.201027, abs=5e-7)


def test_one_score_is_followed_until_it_is_known_well_enough():
    followed = played(systems=("crossenc",), margin=0.06)
    assert followed.verdict.state == "precise"
    low, high = followed.table.select("low", "high").row(-1)
    assert high - low <= 0.12
    assert low <= difference("crossenc") <= high
    scores = played(30, systems=PAIR, scores=True)
    assert scores.table["b"].null_count() == scores.table.height


def test_equivalence_alone_is_found_no_later_than_within_the_set():
    alone = played(systems=("bm25", "dense"), margin=0.3, question="equivalence", kind="exact")
    both = played(systems=("bm25", "dense"), margin=0.3, kind="exact")
    assert alone.verdict.state == "equivalent"
    assert alone.decided_at <= both.decided_at
