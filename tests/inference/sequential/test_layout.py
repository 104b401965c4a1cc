"""The documents, weights and labels that an audit in order is about."""

from __future__ import annotations

import polars as pl
import pytest
from followed_sample import sample

import dissensus as ds


@pytest.mark.parametrize(
    "measure",
    ["DCG@5", "RBP(p=0.8)@10", "DCG(dcg='exp-log2')@10", "DCG(gains={0: 1, 1: 2, 2: 4, 3: 8})@5", "CG@3"],
)
def test_every_linear_measure_ends_at_its_difference(measure):
    runs, llm, truth = sample()
    short = runs.to_frame().filter(~((pl.col("system") == "bm25") & pl.col("topic").is_in(["q01", "q02"])))
    runs = ds.Runs.from_frame(short.group_by("system", "topic", maintain_order=True).head(12))
    gold = ds.Judgments.from_dict({"g": {t: {d: g for (q, d), g in truth.items() if q == t} for t in runs.topics}})
    means = ds.evaluate(runs, gold, [measure])[measure].mean("topic").squeeze("assessor")
    systems = ("bm25", "dense", "crossenc")
    for chosen in (systems[:2], systems):
        followed = ds.Sequential(runs, llm, measure, systems=chosen)
        labels = [(t, d, truth[t, d]) for t, d in followed.next(10_000)]
        for label in reversed(labels):  # all wait for the first
            followed.add(*label)
        for row in followed.table.filter(pl.col("labels") == len(labels)).iter_rows(named=True):
            true = float(means.sel(system=row["a"]) - means.sel(system=row["b"]))
            assert (row["low"], row["high"]) == pytest.approx((true, true), abs=1e-8)
            assert row["decided"]
        verdicts = followed.verdict.each if len(chosen) > 2 else (followed.verdict,)
        for v in verdicts:
            assert float(means.sel(system=v.winner)) > float(means.sel(system=v.loser))
