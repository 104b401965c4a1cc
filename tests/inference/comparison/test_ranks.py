"""Ranks and the sets that hold them: by hand, at the two extremes, and in simulations that count every miss."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from wording import phrase

import dissensus as ds
from dissensus.inference.comparison.difference import Difference
from dissensus.inference.comparison.differences import Differences
from dissensus.inference.comparison.engine import adjusted, t_pairs
from dissensus.inference.comparison.ranks import bounds, caution, claim, rank_sets
from dissensus.stats.intervals import ConfidenceSet


def pair(a, b, gap, p, measure="AP", adjusted="max-t"):
    return Difference(a, b, measure, gap, 0.01, (gap - 0.03, gap + 0.03), p, 0.95, "t", adjusted, 6)


def scored(values, measure="AP"):
    """values: systems × topics"""
    values = np.asarray(values, float)[None]
    coords = {
        "assessor": ["j"],
        "system": [f"s{i}" for i in range(values.shape[1])],
        "topic": [str(i) for i in range(values.shape[2])],
    }
    return xr.Dataset({measure: (("assessor", "system", "topic"), values)}, coords=coords)


def rows(frame):
    return {r["system"]: (r["rank"], r["low"], r["high"]) for r in frame.iter_rows(named=True)}


HAND = [
    pair("A", "B", 0.02, 0.4), pair("A", "C", 0.05, 0.01), pair("A", "D", 0.09, 0.001),
    pair("B", "C", 0.03, 0.2), pair("D", "B", -0.07, 0.003), pair("C", "D", 0.04, 0.06),
]  # fmt: skip


def test_by_hand():
    """A beats C and D, B beats D: A is 1 or 2, B 1 to 3, C 2 to 4, D 3 or 4."""
    found = rank_sets(HAND, {"AP": {"A": 0.5, "B": 0.48, "C": math.nan}})
    assert found.columns == ["measure", "system", "score", "rank", "low", "high"]
    assert rows(found) == {"A": (1, 1, 2), "B": (2, 1, 3), "C": (3, 2, 4), "D": (4, 3, 4)}
    assert found["system"].to_list() == ["A", "B", "C", "D"]
    assert found["score"].to_list() == [0.5, 0.48, None, None]


def test_where_less_is_better_the_order_turns():
    turned = [pair(d.a, d.b, d.difference, d.p_value, measure="ESL") for d in HAND]
    assert rows(rank_sets(turned)) == {"A": (4, 3, 4), "B": (3, 2, 4), "C": (2, 1, 3), "D": (1, 1, 2)}


def test_measures_keep_their_order_and_their_own_ranks():
    both = [*(pair(d.a, d.b, -d.difference, d.p_value, measure="P@5") for d in HAND), *HAND]
    found = rank_sets(both)
    assert found["measure"].unique(maintain_order=True).to_list() == ["P@5", "AP"]
    assert found["system"].to_list() == list("DCBAABCD")


def test_all_pairs_told_apart_leave_one_rank_each():
    gaps = {("A", "B"): 0.1, ("A", "C"): 0.2, ("B", "C"): 0.1}
    found = rank_sets([pair(a, b, gap, 0.001) for (a, b), gap in gaps.items()])
    assert rows(found) == {"A": (1, 1, 1), "B": (2, 2, 2), "C": (3, 3, 3)}


def test_no_pair_told_apart_leaves_every_rank():
    found = rank_sets([pair(d.a, d.b, d.difference, 0.5) for d in HAND])
    assert found["low"].to_list() == [1] * 4
    assert found["high"].to_list() == [4] * 4


def test_equal_systems_share_a_rank_and_unknown_ones_have_none():
    nan = math.nan
    pairs = [pair("A", "B", 0.0, 1.0), pair("A", "C", 0.1, 0.01), pair("B", "C", 0.1, 0.01)]
    assert rows(rank_sets(pairs)) == {"A": (1, 1, 2), "B": (1, 1, 2), "C": (3, 3, 3)}
    lost = rank_sets([*pairs, *(pair(s, "D", nan, nan) for s in "ABC")])
    assert rows(lost)["D"] == (None, 1, 4)
    assert rows(lost)["C"] == (3, 3, 4)  # one unknown pair costs no rank
    assert rank_sets([]).height == 0


@given(st.integers(2, 7), st.integers(0, 10_000))
def test_the_rank_seen_is_always_in_its_set(n, seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(0, 5, n) / 10
    pairs = [
        pair(str(i), str(j), float(score[i] - score[j]), float(rng.choice([0.01, 0.5])))
        for i, j in itertools.combinations(range(n), 2)
    ]
    for r in rank_sets(pairs).iter_rows(named=True):
        assert 1 <= r["low"] <= r["rank"] <= r["high"] <= n


def test_only_adjusted_comparisons_promise_all_ranks_together():
    assert claim(HAND) == phrase("compare.rank-sets-hold-true", 95)
    for how, why in (("none", phrase("ranks.not-adjusted")), ("bh", phrase("ranks.share-false-finds"))):
        loose = [pair(d.a, d.b, d.difference, d.p_value, adjusted=how) for d in HAND]
        assert why in caution(loose)
        assert claim(loose).startswith(phrase("ranks.rank-sets-not-simultaneous"))
    assert caution([pair("A", "B", 0.1, 0.01, adjusted="none")]) == ""  # one comparison needs no adjustment


def test_comparisons_carry_their_ranks():
    rng = np.random.default_rng(0)
    values = np.array([[0.5], [0.3], [0.29]]) + 0.1 * rng.normal(size=(3, 40))
    found = ds.compare(scored(values), "AP")
    assert rows(found.ranks()) == {"s0": (1, 1, 1), "s1": (2, 2, 3), "s2": (3, 2, 3)}
    assert found.ranks()["score"].to_list() == pytest.approx(values.mean(axis=1).tolist())
    assert any(note.startswith(phrase("ranks.rank-sets")) for note in found.notes)
    said = json.loads(found.to_json())
    assert said["tables"]["ranks"][0] == {
        "measure": "AP", "system": "s0", "score": pytest.approx(values[0].mean()), "rank": 1, "low": 1, "high": 1
    }  # fmt: skip
    assert said["groups"] == {"AP": [["s1", "s2"]]}
    assert [c["kind"] for c in said["claims"]] == ["best", "take"]
    assert phrase("ranks.not-simultaneous") in " ".join(ds.compare(scored(values), "AP", correction="none").notes)


def test_groups_start_with_the_best_where_less_is_better():
    rng = np.random.default_rng(0)
    values = np.array([[3.0], [3.0], [1.0], [1.0]]) + 0.1 * rng.normal(size=(4, 20))
    groups = ds.compare(scored(values, "ESL"), "ESL").groups["ESL"]
    assert [set(g) for g in groups] == [{"s2", "s3"}, {"s0", "s1"}]


MEANS = np.array([0.50, 0.50, 0.47, 0.44, 0.40, 0.30])  # a tie at the top, small gaps below it


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
def test_all_true_ranks_are_held(correction):
    """6 systems × 40 topics with topic effects, 200 times; every rank that a tie leaves open has to be held."""
    rng = np.random.default_rng(7)
    best, worst = 1 + (MEANS[:, None] < MEANS).sum(axis=1), 6 - (MEANS[:, None] > MEANS).sum(axis=1)
    held = width = 0
    for _ in range(200):
        topic = 0.15 * rng.normal(size=40)
        values = MEANS[:, None] + topic + 0.1 * rng.normal(size=(6, 40))
        found: Differences = ds.compare(scored(values), "AP", correction=correction)
        frame = found.ranks().sort("system")
        held += bool((frame["low"].to_numpy() <= best).all() and (frame["high"].to_numpy() >= worst).all())
        width += float((frame["high"] - frame["low"]).sum())
    assert held / 200 >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 200)
    assert width / 200 / 6 < 2.5  # and the sets say something: 5 would be nothing at all


@pytest.mark.parametrize("means", [MEANS, np.full(6, 0.5)], ids=["apart", "equal"])
def test_max_t_holds_all_true_ranks_too(means):
    """The adjustment of corrected scores, on scores without a judge's error: 200 repetitions."""
    rng = np.random.default_rng(7)
    best, worst = 1 + (means[:, None] < means).sum(axis=1), 6 - (means[:, None] > means).sum(axis=1)
    held = 0
    for seed in range(200):
        values = means[:, None] + 0.15 * rng.normal(size=40) + 0.1 * rng.normal(size=(6, 40))
        family = t_pairs("AP", values.mean(axis=1), np.cov(values) / 40, 39.0)
        i, j, gap = family.a, family.b, family.difference
        shown = adjusted([family], "max-t", 0.95, seed=seed)[0].p < 0.05
        beats = np.zeros((6, 6), bool)
        beats[np.where(gap > 0, i, j)[shown], np.where(gap > 0, j, i)[shown]] = True
        low, high = bounds(beats)
        held += bool((low <= best).all() and (high >= worst).all())
    assert held / 200 >= 0.95 - 2 * math.sqrt(0.95 * 0.05 / 200)


def test_unadjusted_sets_miss_more_often():
    """Six equal systems: any verdict is wrong; unadjusted, there is one in a third of the repetitions or more."""
    rng = np.random.default_rng(8)
    missed = {"holm": 0, "none": 0}
    for _ in range(200):
        scores = scored(0.5 + 0.1 * rng.normal(size=(6, 40)))
        for correction in missed:
            missed[correction] += int((ds.compare(scores, "AP", correction=correction).ranks()["high"] < 6).any())
    assert missed["holm"] / 200 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    assert missed["none"] / 200 > 0.25


def test_bounds_of_one_system():
    low, high = bounds(np.zeros((1, 1), bool))
    assert (low.tolist(), high.tolist()) == ([1], [1])


def test_a_pair_whose_direction_is_open_narrows_no_rank() -> None:
    rays = ConfidenceSet(((-math.inf, -0.05), (0.02, math.inf)))
    weak = replace(pair("A", "B", 0.3, 0.01), interval=rays.hull, fieller=rays, by="fieller")
    assert weak.significant
    assert weak.claim.kind == "differ"
    assert rank_sets([weak]).select("low", "high").rows() == [(1, 2), (1, 2)]
    ray = ConfidenceSet(((0.1, math.inf),))
    strong = replace(weak, interval=ray.hull, fieller=ray)
    assert rank_sets([strong]).select("low", "high").rows() == [(1, 1), (2, 2)]
