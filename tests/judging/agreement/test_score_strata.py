"""Scores by agreement: strata by hand, means against plain numpy, orders against chance."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy import stats
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.agreement.score_strata import FILLINGS, STRATA, by_agreement, thirds, topic_agreement


def scored(values, measure="AP", assessors=("j",)):
    """values: systems × topics, the same for every assessor"""
    values = np.stack([np.asarray(values, float)] * len(assessors))
    coords = {
        "assessor": list(assessors),
        "system": [f"s{i}" for i in range(values.shape[1])],
        "topic": [f"t{i}" for i in range(values.shape[2])],
    }
    return xr.Dataset({measure: (("assessor", "system", "topic"), values)}, coords=coords)


def agreed(values):
    """A per-topic table with these agreements; None: no document judged twice."""
    return pl.DataFrame(
        {
            "topic": [f"t{i}" for i in range(len(values))],
            "documents": [0 if v is None else 5 for v in values],
            "percent": [float("nan") if v is None else v for v in values],
        }
    )


def names(values):
    return [STRATA[c] for c in thirds(np.array(values, float))]


def test_thirds_by_hand():
    assert names([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]) == ["low", "low", "middle", "middle", "high", "high"]
    assert names([0.6, 0.1, 0.4]) == ["high", "low", "middle"]
    assert names([0.5, 0.5, 0.5]) == ["middle"] * 3  # nothing tells them apart
    assert names([0.2, 0.9]) == ["low", "high"]
    assert names([1.0, 1.0, 1.0, 0.2, np.nan]) == ["high", "high", "high", "low", "one judge only"]
    assert names([np.nan, 0.4]) == ["one judge only", "middle"]
    assert names([]) == []
    assert names([0.1 + 0.2, 0.3, 0.9, 0.1]) == ["middle", "middle", "high", "low"]  # equal up to rounding


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_thirds_keep_equal_topics_together_and_in_order(agreement):
    code = thirds(np.array(agreement) / 6)
    by_value = {}
    for a, c in zip(agreement, code.tolist(), strict=True):
        assert by_value.setdefault(a, c) == c
    in_order = [by_value[a] for a in sorted(by_value)]
    assert in_order == sorted(in_order, reverse=True)
    third = np.floor(3 * (stats.rankdata(agreement) - 0.5) / len(agreement))  # the definition, with scipy's ranks
    ends = {2: [2, 0], 1: [1]}.get(len(set(third)), [2, 1, 0])
    assert [ends[sorted(set(third)).index(t)] for t in third] == code.tolist()
    if len(set(agreement)) == len(agreement):
        assert np.ptp(np.bincount(code, minlength=3)) <= 1


def test_agreement_of_topics_is_the_share_of_agreeing_pairs():
    """Topic 1: x is judged 1 1 0 (1 of 3 pairs agree), y 0 0 (all): mean 2/3. Topic 2: nobody was seconded."""
    labels = ds.Judgments.from_dict(
        {
            "ann": {"1": {"x": 1, "y": 0, "z": 1}, "2": {"x": 1}},
            "bob": {"1": {"x": 1, "y": 0}},
            "cyd": {"1": {"x": 0}, "2": {"y": 0}},
        }
    )
    found = topic_agreement(labels)
    assert found["documents"].to_list() == [2, 0]
    assert found["percent"][0] == pytest.approx(2 / 3)
    assert np.isnan(found["percent"][1])
    assert found.equals(ds.agreement(labels, replicates=99).per_topic, null_equal=True)


VALUES = np.array(
    [
        [0.9, 0.8, 0.7, 0.1, 0.2, 0.3, 0.5],
        [0.5, 0.4, 0.3, 0.6, 0.7, 0.8, 0.1],
        [0.1, 0.2, 0.0, 0.2, 0.1, 0.0, np.nan],
    ]
)
AGREEMENT = [0.9, 0.8, 0.55, 0.5, 0.2, 0.1, None]


def test_means_and_counts_by_hand():
    found = by_agreement(scored(VALUES), agreed(AGREEMENT))
    assert found.topics["stratum"].to_list() == ["high"] * 2 + ["middle"] * 2 + ["low"] * 2 + ["one judge only"]
    assert found.strata.to_dicts()[0] == {
        "stratum": "high", "topics": 2, "least": 0.8, "mean": pytest.approx(0.85), "most": 0.9
    }  # fmt: skip
    assert found.strata["topics"].to_list() == [2, 2, 2, 1]
    assert found.strata["least"][3] is None
    assert found.table.columns == ["assessor", "measure", "system", "all", *STRATA]
    table = {r["system"]: r for r in found.table.iter_rows(named=True)}
    assert list(table) == ["s0", "s1", "s2"]  # s0 and s1: 3.5/7 and 3.4/7
    assert [table["s0"][s] for s in STRATA] == pytest.approx([0.85, 0.4, 0.25, 0.5])
    assert [table["s1"][s] for s in STRATA] == pytest.approx([0.45, 0.45, 0.75, 0.1])
    assert table["s2"]["one judge only"] is None
    row = found.scores.filter((pl.col("system") == "s2") & (pl.col("stratum") == "all")).row(0, named=True)
    assert row["topics"] == 6
    low, high = stats.t.interval(0.95, 5, VALUES[2, :6].mean(), stats.sem(VALUES[2, :6]))
    assert (row["score"], row["low"], row["high"]) == pytest.approx((0.1, low, high))


def test_orders_by_hand():
    found = by_agreement(scored(VALUES), agreed(AGREEMENT))
    order = {(r["reference"], r["other"]): r for r in found.order.iter_rows(named=True)}
    assert len(order) == 6
    # high: s0 s1 s2; low: s1 s0 s2. Second place is wrong, third is right: 2/2 (0 + 1) − 1 = 0
    assert order["high", "low"]["tau_ap"] == pytest.approx(0.0)
    assert order["middle", "low"]["tau_ap"] == pytest.approx(1.0)
    assert order["high", "one judge only"]["tau_ap"] is None  # s2 has no score there
    assert all(1 / (FILLINGS + 1) <= r["p_value"] <= 1 for r in order.values() if r["p_value"] is not None)


def test_less_is_better_turns_the_order():
    more, less = (by_agreement(scored(VALUES[:2], m), agreed(AGREEMENT)) for m in ("AP", "ESL"))
    assert less.table["system"].to_list() == more.table["system"].to_list()[::-1]
    assert less.order["tau_ap"].to_list() == more.order["tau_ap"].to_list()


def test_an_order_that_goes_with_agreement_is_found_and_chance_is_not():
    rng = np.random.default_rng(3)
    agreement = np.linspace(0.2, 0.9, 60).tolist()
    slope = np.linspace(-1, 1, 60)
    noise = 0.05 * rng.normal(size=(6, 60))
    skill = np.linspace(0, 0.3, 6)[:, None]
    turned = by_agreement(scored(skill * (0.3 + slope) + noise), agreed(agreement))
    found = turned.order.filter((pl.col("reference") == "high") & (pl.col("other") == "low")).row(0, named=True)
    assert found["tau_ap"] < -0.5
    assert found["p_value"] < 0.01
    assert phrase("score-strata.systems-moves-chance-explains") in turned.sentences()[0]
    plain = by_agreement(scored(skill + noise), agreed(agreement))
    assert phrase("score-strata.no-chance-explains") in plain.sentences()[0]


def test_chance_is_uniform_where_agreement_means_nothing():
    """Under no relation p ≤ α happens in at most α of the cases; ties in τ_ap make it rarer."""
    rng = np.random.default_rng(4)
    p = []
    for _ in range(100):
        values = np.linspace(0, 0.1, 5)[:, None] + 0.2 * rng.normal(size=(5, 24))
        found = by_agreement(scored(values), agreed(rng.random(24).tolist()))
        p.append(found.order.filter((pl.col("reference") == "high") & (pl.col("other") == "low"))["p_value"][0])
    assert np.mean(np.array(p) <= 0.1) <= 0.1 + 2 * np.sqrt(0.09 / 100)
    assert np.mean(np.array(p) <= 0.5) > 0.25


def test_the_same_seed_gives_the_same_result_whatever_else_is_asked():
    both = xr.merge([scored(VALUES, "AP"), scored(VALUES[::-1], "P@5")])
    alone = by_agreement(scored(VALUES, "AP"), agreed(AGREEMENT), seed=5)
    together = by_agreement(both, agreed(AGREEMENT), seed=5)
    assert together.order.filter(pl.col("measure") == "AP").equals(alone.order)
    assert (
        by_agreement(both, agreed(AGREEMENT), seed=6).order["by_chance"].to_list()
        != together.order["by_chance"].to_list()
    )


def test_edges_one_system_one_topic_no_second_judge():
    one = by_agreement(scored(VALUES[:1]), agreed(AGREEMENT))
    assert one.order.height == 0
    assert one.sentences() == []
    single = by_agreement(scored(VALUES[:, :1]), agreed(AGREEMENT[:1]))
    assert single.strata["stratum"].to_list() == ["middle"]
    assert single.scores["low"].to_list() == [None] * 6
    assert single.sentences() == []
    alone = by_agreement(scored(VALUES[:2]), agreed([None] * 7))
    assert alone.strata["stratum"].to_list() == ["one judge only"]
    with refused(InputError, 2, "t5", "t6"):
        by_agreement(scored(VALUES), agreed(AGREEMENT[:5]))


def test_every_assessor_has_rows_and_json_has_no_nan():
    found = by_agreement(scored(VALUES, assessors=("ann", "bob")), agreed(AGREEMENT))
    assert found.scores["assessor"].unique(maintain_order=True).to_list() == ["ann", "bob"]
    said = json.loads(found.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert set(said["tables"]) == {"strata", "topics", "scores", "order"}
    last = {"topic": "t6", "documents": 0, "agreement": None, "stratum": "one judge only"}
    assert said["tables"]["topics"][6] == last
    assert phrase("score-strata.high-low-agreement", "AP", "ann") in str(found)
