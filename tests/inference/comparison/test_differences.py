"""The headline: every claim follows from the verdicts on pairs, never from the order of the estimates."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wording import phrase

from dissensus.inference.comparison.difference import Difference, Standing, indistinct
from dissensus.inference.comparison.differences import against_baseline, headline, likely_ahead, naive_first, together


def pair(a, b, gap, p, se=0.01, measure="AP"):
    half = 0.03 if p >= 0.05 else abs(gap) / 2
    if se == 0:
        half = 0.0
    ends = (gap - max(half, abs(gap) + 0.01), gap + abs(gap) + 0.01) if p >= 0.05 and se else (gap - half, gap + half)
    return Difference(a, b, measure, gap, se, ends, p, 0.95, "t", "max-t", 3)


def said(pairs, measure="AP"):
    return [str(c) for c in headline(Standing.of(pairs, measure))]


def test_the_four_beginnings():
    clear = [pair("x", "y", 0.2, 0.01), pair("x", "z", 0.3, 0.01), pair("y", "z", 0.1, 0.5)]
    assert said(clear) == [phrase("score-table-output.better-all-systems", "x", 2)]
    half = [pair("x", "y", 0.1, 0.5), pair("z", "x", -0.3, 0.01), pair("y", "z", 0.2, 0.01)]
    assert said(half) == [phrase("headline.comes-first-better-but", "x", "z", "y")]
    assert said([pair("x", "y", 0.1, 0.5)]) == [phrase("headline.comes-first-but-no", "x")]
    nothing = [pair("x", "y", math.nan, math.nan)]
    assert said(nothing) == [phrase("headline.no-pair-systems-compared")]


def test_where_less_is_better_the_lower_score_wins():
    assert said([pair("x", "y", -0.2, 0.01, measure="ESL")], "ESL") == [phrase("comparison-claims.better-system", "x")]


def test_who_else_may_be_first():
    """y cannot be told from x, but z beats y: only x and z are unbeaten."""
    pairs = [
        pair("x", "z", 0.01, 0.9), pair("x", "y", 0.02, 0.5), pair("z", "y", 0.01, 0.01),
        pair("x", "w", 0.3, 0.01), pair("z", "w", 0.29, 0.01), pair("y", "w", 0.28, 0.01),
    ]  # fmt: skip
    assert said(pairs)[1] == phrase("headline.no-system-shown-better", "x", "z")


def test_identical_systems_come_first_together():
    pairs = [pair("f1", "f2", 0.0, 1.0, se=0.0), pair("f1", "y", 0.2, 0.01), pair("f2", "y", 0.2, 0.01)]
    assert said(pairs) == [
        phrase("headline.better-system", "f1", "f2"),
        phrase("headline.identical-same-score-every", "f1", "f2"),
    ]
    all_equal = [pair(a, b, 0.0, 1.0, se=0.0) for a, b in itertools.combinations("xyz", 2)]
    assert said(all_equal) == [phrase("headline.identical-same-score-every-topic", "x", "y", "z")]


def test_identical_leaders_are_likely_better_together_and_only_beyond_what_was_shown():
    same = pair("f1", "f2", 0.0, 1.0, se=0.0)
    shown = [same, *(pair(f, "y", 0.1, 0.5) for f in ("f1", "f2")), *(pair(f, "z", 0.2, 0.01) for f in ("f1", "f2"))]
    shown.append(pair("y", "z", 0.1, 0.5))
    model = [same, *(pair(f, s, 0.1, 0.01) for f in ("f1", "f2") for s in "yz"), pair("y", "z", 0.1, 0.5)]
    standing = Standing.of(shown, "AP")
    assert [str(c) for c in likely_ahead(standing, Standing.of(model, "AP"))] == [
        phrase("headline.likely-model-pools-systems", "f1", "f2", "y")
    ]
    assert likely_ahead(standing, standing) == []


def test_groups_of_one_or_of_identical_systems_are_not_listed():
    pairs = [pair("f1", "f2", 0.0, 1.0, se=0.0), pair("f1", "y", 0.2, 0.01), pair("f2", "y", 0.2, 0.01)]
    assert together(Standing.of(pairs, "AP")) == []


@pytest.mark.parametrize(
    ("naive", "kind"),
    [({"x": 0.5, "y": 0.4, "z": 0.1}, "unsettled"), ({"z": 0.5, "y": 0.4, "x": 0.3}, "refuted")],
)
def test_the_labels_first_is_refuted_or_left_open(naive, kind):
    pairs = [pair("x", "y", 0.1, 0.5), pair("x", "z", 0.3, 0.01), pair("y", "z", 0.2, 0.01)]
    assert naive_first(Standing.of(pairs, "AP"), naive, True).kind == kind


def test_the_labels_first_is_confirmed_only_where_it_beats_all():
    pairs = [pair("x", "y", 0.2, 0.01), pair("x", "z", 0.3, 0.01), pair("y", "z", 0.1, 0.5)]
    found = naive_first(Standing.of(pairs, "AP"), {"x": 0.5, "y": 0.4, "z": 0.1}, True)
    assert str(found) == phrase("headline.judge-labels-come-first", "x")
    assert naive_first(Standing.of(pairs, "AP"), {}, True) is None


def test_a_baseline_has_three_sides():
    pairs = [pair("x", "b", 0.2, 0.01), pair("y", "b", -0.2, 0.01), pair("z", "b", 0.01, 0.6)]
    assert [str(c) for c in against_baseline(pairs, "b", "AP")] == [
        phrase("headline.better-than", "b", "x"),
        phrase("headline.worse-than", "b", "y"),
        phrase("headline.cannot-told-apart", "b", "z"),
    ]


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_every_claim_is_supported_by_its_pairs(n, seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 6, n) / 10
    names = [f"s{i}" for i in rng.permutation(n)]
    pairs = [
        pair(names[i], names[j], float(score[i] - score[j]), float(rng.choice([0.01, 0.5])))
        if rng.random() > 0.05
        else pair(names[i], names[j], math.nan, math.nan)
        for i, j in itertools.combinations(range(n), 2)
    ]
    shown = {(d.claim.systems[0], d.claim.others[0]) for d in pairs if d.claim.kind == "better"}
    for claim in headline(Standing.of(pairs, "AP")):
        if claim.kind in ("best", "ahead"):
            assert all((s, o) in shown for s in claim.systems for o in claim.others)
        if claim.kind in ("ahead", "open"):
            assert all((s, r) not in shown for s in claim.systems for r in claim.rest)
        if claim.kind == "unbeaten":
            assert not {s for _, s in shown} & set(claim.systems)


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
