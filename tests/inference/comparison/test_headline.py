"""The headline row by row, what the judge alone would have said, sides of a baseline, and groups."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from compared_pairs import pair
from hypothesis import given
from hypothesis import strategies as st
from wording import phrase

from dissensus.inference.comparison.difference import Difference, Standing, indistinct
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.headline import against_baseline, judge_alone
from dissensus.inference.comparison.outcome import Outcome, conclude


def ranked(n, shown, gap=0.02):
    """n systems s1 … sn, each `gap` behind the one before; `shown(i, j)` says which pairs are better."""
    names = [f"s{i + 1}" for i in range(n)]
    return [
        pair(names[i], names[j], gap * (j - i), 0.001 if shown(i, j) else 0.5)
        for i, j in itertools.combinations(range(n), 2)
    ]


def outcome(pairs, scores=None, **more) -> Outcome:
    systems = tuple(dict.fromkeys(s for d in pairs for s in (d.a, d.b)))
    known = {} if scores is None else {"corrected": {s: (v, v - 0.1, v + 0.1) for s, v in scores.items()}}
    given = {"measure": "AP", "judge": "llm", "topics": 54, "audited": True, **more}
    return conclude(Evidence(systems=systems, pairs=tuple(pairs), scores=known, **given))


TABLE = [
    (8, lambda i, j: i == 0, "best",
     "s1 is the best of 8 for topics like these. It is better than all others (by 0.02 to 0.14)."),
    (8, lambda i, j: i < 2 <= j, "few",
     "s1 or s2 is the best for topics like these. The other six are worse than at least one of them."),
    (8, lambda i, j: i < 3 <= j, "few",
     "s1, s2 or s3 is the best for topics like these. The other five are worse than at least one of them."),
    (20, lambda i, j: i < 5 <= j, "many",
     "One of s1, s2, s3, s4 and s5 is the best for topics like these. Ruled out: the other 15."),
    (20, lambda i, j: i < 18 <= j, "no-winner",
     "No winner yet for topics like these: 18 of 20 could still be the best. Ruled out: s19 and s20."),
    (4, lambda i, j: i < 2 <= j, "no-winner",
     "No winner yet for topics like these: 2 of 4 could still be the best. Ruled out: s3 and s4."),
    (20, lambda i, j: False, "no-winner",
     "No winner yet for topics like these: all 20 could still be the best."),
    (3, lambda i, j: i == 0, "best",
     "s1 is the best of 3 for topics like these. It is better than both others (by 0.02 to 0.04)."),
    (3, lambda i, j: i < 2 <= j, "few",
     "s1 or s2 is the best for topics like these. The other one is worse than at least one of them."),
    (3, lambda i, j: False, "between", "Undecided between s1, s2 and s3 for topics like these."),
    (2, lambda i, j: True, "better",
     "s1 is better than s2 by 0.020 [0.010, 0.030], p = 0.001, both adjusted for 3 comparisons, for topics like "
     "these."),
    (2, lambda i, j: False, "undecided",
     "Undecided between s1 and s2 for topics like these (+0.020 [−0.010, 0.050], p = 0.500, both adjusted for 3 "
     "comparisons)."),
]  # fmt: skip


@pytest.mark.parametrize(("n", "shown", "kind", "sentence"), TABLE)
def test_every_row_of_the_headline(n, shown, kind, sentence):
    found = outcome(ranked(n, shown))
    assert (found.headline.kind, str(found.headline)) == (kind, sentence)


def test_targets_and_premises_are_named():
    here = outcome(ranked(8, lambda i, j: i == 0), target="these_topics")
    assert str(here.headline).startswith(phrase("headline.best-of-here", "s1", 8, 54))
    unaudited = outcome(ranked(20, lambda i, j: False), audited=False)
    assert str(unaudited.headline).startswith(phrase("headline.no-winner-if-right"))
    assert unaudited.alone is None


def test_the_best_set_is_that_of_the_rank_sets():
    """s1 is not shown to be better than s2, but s3 is worse than both: only s1 and s2 have a rank set that holds 1."""
    found = outcome(ranked(6, lambda i, j: j >= 2 and j - i >= 2))
    ranks = {r["system"]: r["low"] for r in found.ranks.iter_rows(named=True)}
    assert set(found.best) == {s for s, low in ranks.items() if low == 1}


def test_identical_systems_are_the_best_together():
    pairs = [pair("f1", "f2", 0.0, 1.0, se=0.0)]
    pairs += [pair(f, s, 0.2, 0.01) for f in ("f1", "f2") for s in ("x", "y")] + [pair("x", "y", 0.1, 0.5)]
    found = outcome(pairs)
    assert str(found.headline).startswith(phrase("headline.identical-best-of", "f1", "f2", 4))
    assert found.identical == (("f1", "f2"),)
    assert found.ranks["rank"].to_list()[:2] == [1, 1]
    alike = outcome([pair(a, b, 0.0, 1.0, se=0.0) for a, b in itertools.combinations("xyz", 2)])
    assert str(alike.headline) == phrase("headline.identical-same-score-every-topic", "x", "y", "z")


def test_near_twins_are_undecided_and_keep_their_places_and_ranks():
    """FINDINGS B2: a pair that no audited document tells apart cost both systems their ranks and the headline."""
    pairs = [d for d in ranked(5, lambda i, j: i < 2 <= j) if {d.a, d.b} != {"s1", "s2"}]
    twin = Difference("s1", "s2", "AP", math.nan, math.nan, (-1.0, 1.0), math.nan, 0.95, "t", "max-t", 10)
    scores = dict(zip(["s1", "s2", "s3", "s4", "s5"], [0.5, 0.49, 0.4, 0.3, 0.2], strict=True))
    found = outcome([*pairs, twin], scores)
    assert found.order[:2] == ("s1", "s2")
    assert found.best == ("s1", "s2")
    assert found.headline.kind == "few"
    assert found.ranks.select("rank", "low", "high").rows()[:2] == [(1, 1, 2), (2, 1, 2)]
    assert found.claim_of("s1", "s2").kind == "unanswered"
    assert ("s1", "s2") in found.groups


def test_where_less_is_better_the_lower_score_wins():
    pairs = [pair("x", "y", -0.2, 0.01, measure="ESL")]
    found = outcome(pairs, {"x": 1.0, "y": 1.2}, measure="ESL", higher_is_better=False)
    assert (found.headline.kind, found.headline.systems, found.order) == ("better", ("x",), ("x", "y"))


def test_without_any_answer_there_is_none():
    found = outcome([pair("x", "y", math.nan, math.nan)], {"x": 0.4, "y": 0.5})
    assert found.headline.kind == "no-answer"
    assert found.order == ("y", "x")


@pytest.mark.parametrize(
    ("naive", "kind"),
    [({"x": 0.5, "y": 0.4, "z": 0.1}, "left-open"), ({"z": 0.5, "y": 0.4, "x": 0.3}, "refuted")],
)
def test_the_first_of_the_judge_alone_is_refuted_or_left_open(naive, kind):
    pairs = [pair("x", "y", 0.1, 0.5), pair("x", "z", 0.3, 0.01), pair("y", "z", 0.2, 0.01)]
    found = judge_alone(Standing.of(pairs, "AP"), naive, True)
    assert found is not None
    assert found.kind == kind


def test_the_first_of_the_judge_alone_is_confirmed_only_where_it_is_better_than_all():
    pairs = [pair("x", "y", 0.2, 0.01), pair("x", "z", 0.3, 0.01), pair("y", "z", 0.1, 0.5)]
    found = judge_alone(Standing.of(pairs, "AP"), {"x": 0.5, "y": 0.4, "z": 0.1}, True)
    assert str(found) == phrase("headline.confirmed", "x")
    assert judge_alone(Standing.of(pairs, "AP"), {}, True) is None


def test_a_baseline_has_three_sides():
    pairs = [pair("x", "b", 0.2, 0.01), pair("y", "b", -0.2, 0.01), pair("z", "b", 0.01, 0.6)]
    assert [str(c) for c in against_baseline(pairs, "b", "AP")] == [
        "Better than b: x.", "Worse than b: y.", "Undecided against b: z.",
    ]  # fmt: skip


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_every_claim_is_supported_by_its_pairs(n, seed):
    rng = np.random.default_rng(seed)
    score = np.sort(rng.integers(0, 6, n) / 10)[::-1]
    names = [f"s{i}" for i in range(n)]
    pairs = [
        pair(names[i], names[j], float(score[i] - score[j]), float(rng.choice([0.01, 0.5])))
        if rng.random() > 0.05
        else pair(names[i], names[j], math.nan, math.nan)
        for i, j in itertools.combinations(range(n), 2)
    ]
    worse = {d.claim.others[0] for d in pairs if d.claim.kind == "better"}
    found = outcome(pairs, dict(zip(names, score.tolist(), strict=True)))
    assert set(found.best) == set(names) - worse
    if found.headline.kind in ("few", "many", "no-winner"):
        assert set(found.headline.systems) == set(found.best)
        assert set(found.headline.others) == worse


@given(st.integers(1, 7), st.integers(0, 10_000))
def test_groups_hold_every_indistinct_pair_and_no_other(n, seed):
    rng = np.random.default_rng(seed)
    different = np.triu(rng.random((n, n)) < 0.5, 1)
    different |= different.T
    groups = indistinct(different)
    together = {(i, j) for g in groups for i in g for j in g}
    for i in range(n):
        for j in range(n):
            assert i == j or ((i, j) in together) == (not different[i, j])
    assert all(len(g) > 1 for g in groups)
