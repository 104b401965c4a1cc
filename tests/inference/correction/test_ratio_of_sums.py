"""nDCG as a ratio of sums."""

from __future__ import annotations

import math

import polars as pl
import pytest
from audited_study import audit, study

import dissensus as ds


@pytest.fixture(scope="module", name="made")
def _made():
    runs, bronze, gold = study()
    return runs, bronze, gold, ds.correct(runs, bronze, audit(gold), ["P@5", "DCG@10", "nDCG@10"])


def test_ratio_of_sums(made):
    runs, bronze, gold, _ = made
    result = ds.correct(runs, bronze, audit(gold, 0.6), ["nDCG-ratio@10"])
    top = ds.evaluate(runs, gold, ["DCG@10"])["DCG@10"].sum("topic").values[0]
    pools = gold.to_frame().group_by("topic").agg(pl.col("grade").sort(descending=True).head(10))
    ideal = sum(sum(g / math.log2(i + 2) for i, g in enumerate(grades)) for grades in pools["grade"].to_list())
    low, high = result.table["low"].to_numpy(), result.table["high"].to_numpy()
    assert ((low <= top / ideal) & (top / ideal <= high)).all()
    assert set(result.table["method"]) == {"ratio"}
