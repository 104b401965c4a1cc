"""Leaderboards of several judges against τ, τ_ap and RBO of their means, and intervals that cover."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import xarray as xr
from prompt_judges import dl21_prompt_judges
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.stats.orders import KINDS, Orders, compared


def scores(values, judges=("ann", "llm")):
    dims = ("assessor", "system", "topic")
    names = {"assessor": list(judges), "system": [f"s{i}" for i in range(values.shape[1])]}
    return xr.Dataset({"AP": (dims, values)}, {**names, "topic": [str(t) for t in range(values.shape[2])]})


def test_estimates_are_those_of_the_mean_scores():
    rng = np.random.default_rng(0)
    values = rng.random((2, 8, 20))
    row = ds.leaderboards(scores(values), replicates=20).table.row(0, named=True)
    a, b = values.mean(axis=2)
    assert row["tau"] == pytest.approx(float(ds.kendall_tau(a, b)))
    assert row["tau_ap"] == pytest.approx(float(ds.tau_ap(a, b)))
    assert row["rbo"] == pytest.approx(ds.rbo(dict(enumerate(a)), dict(enumerate(b))))
    assert (row["topics"], row["systems"]) == (20, 8)


def test_the_same_judge_twice_agrees_for_certain():
    values = np.repeat(np.random.default_rng(1).random((1, 6, 15)), 2, axis=0)
    row = ds.leaderboards(scores(values), replicates=50).table.row(0, named=True)
    assert [row[k] for k in ("tau", "tau_low", "tau_high", "rbo_low")] == pytest.approx([1, 1, 1, 1])


@pytest.mark.parametrize(("systems", "judge_noise"), [(20, 0.026), (40, 0.06)])
def test_intervals_hold_what_all_topics_would_say(systems, judge_noise):
    """Components as on TREC 2021: the noise of topics parts two judges whose orders agree more than 50 topics show."""
    rng = np.random.default_rng(systems)
    kinds = ("tau", "tau_ap", "rbo", "top_k")
    inside = np.zeros(4)
    for k in range(120):
        quality = rng.normal(0, 0.065, systems)
        true = quality + rng.normal(0, judge_noise, (2, systems))
        noise = rng.normal(0, 0.079, (systems, 50)) + rng.normal(0, 0.071, (2, systems, 50))
        row = ds.leaderboards(scores(true[:, :, None] + noise), replicates=200, seed=k).table.row(0, named=True)
        truth = compared(Orders.of(true[:1]), Orders.of(true[1:]))[0]
        inside += [row[f"{n}_low"] - 1e-9 <= t <= row[f"{n}_high"] + 1e-9 for n, t in zip(kinds, truth, strict=True)]
    assert (inside / 120 >= 0.925).all(), inside / 120


def test_less_is_better_turns_the_order():
    values = np.random.default_rng(5).random((2, 9, 12))
    less, more = (
        ds.leaderboards(scores(v).rename(AP=name), replicates=10).table.row(0, named=True)
        for v, name in ((values, "ESL"), (-values, "AP"))
    )
    assert {**less, "measure": "AP"} == more


def test_the_tau_of_trec_2021s_good_judge():
    """METHODS §20: GPT-4o beside NIST on 61 different runs."""
    runs, nist, judges = dl21_prompt_judges()
    labels = ds.Judgments.from_frame(pl.concat([nist.to_frame(), judges.select(assessors=["gpt-4o-g32"]).to_frame()]))
    values = ds.evaluate(runs, labels, ["nDCG@10", "P(rel=2)@10"])
    kept = [s for s in values.coords["system"].values if s not in ("pash_f2", "pash_f3")]
    found = {m: ds.leaderboards(values.sel(system=kept), m).table.row(0, named=True) for m in values.data_vars}
    ends = [[found[m][f"tau{e}"] for e in ("", "_corrected", "_low", "_high")] for m in ("nDCG@10", "P(rel=2)@10")]
    assert ends[0] == pytest.approx([0.9366, 0.967, 0.923, 1.0], abs=0.005)
    assert ends[1] == pytest.approx([0.9087, 0.946, 0.884, 1.0], abs=0.005)


def test_missing_topics_are_left_out_and_counted():
    values = np.random.default_rng(3).random((3, 4, 10))
    values[0, 1, :4] = np.nan
    table = ds.leaderboards(scores(values, ("a", "b", "c")), replicates=20).table
    assert table["topics"].to_list() == [6, 6, 10]


def test_refusals():
    values = np.random.default_rng(4).random((2, 3, 5))
    with refused(InputError, "RBP"):
        ds.leaderboards(scores(values), "RBP")
    with refused(InputError, 1, 3):
        ds.leaderboards(scores(values[:1], ("ann",)))


@pytest.mark.parametrize(("systems", "topics", "spread", "bias"), [(10, 25, 0.05, 0.03), (20, 25, 0.03, 0.02)])
def test_intervals_cover_what_holds_for_topics_like_these(systems, topics, spread, bias) -> None:
    """Two judges of one world, 60 times: at most one in ten intervals misses, where 7% may."""
    rng, held = np.random.default_rng(7), np.zeros(4)
    for _ in range(60):
        one = 0.45 + spread * rng.standard_normal(systems)
        other = one + bias * rng.standard_normal(systems)
        shared = 0.15 * rng.standard_normal(topics) + 0.12 * rng.standard_normal((systems, topics))
        noise = np.array([0.05, 0.08])[:, None, None] * rng.standard_normal((2, systems, topics))
        values = np.stack([one, other])[:, :, None] + shared + noise
        true = compared(Orders.of(one[None]), Orders.of(other[None]))[0]
        table = ds.leaderboards(scores(values), replicates=150, seed=1).table.row(0, named=True)
        ends = [(table[f"{kind}_low"], table[f"{kind}_high"]) for kind in KINDS]
        held += [low - 1e-9 <= t <= high + 1e-9 for t, (low, high) in zip(true, ends, strict=True)]
    assert (held / 60 >= 0.9).all(), held / 60
