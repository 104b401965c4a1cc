"""Leaderboards of several judges against τ, τ_ap and RBO of their means, and intervals that cover."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError


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


def test_intervals_hold_the_truth_of_many_topics():
    rng = np.random.default_rng(2)
    quality = np.linspace(0.3, 0.7, 6)
    truth = 1.0  # both judges order systems rightly given topics enough
    inside = 0
    for k in range(20):
        values = quality[None, :, None] + rng.normal(0, 0.25, (2, 6, 40))
        row = ds.leaderboards(scores(values), replicates=200, seed=k).table.row(0, named=True)
        inside += row["tau_low"] <= truth <= row["tau_high"] + 1e-9
    assert inside >= 15


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
