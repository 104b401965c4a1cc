"""Measures that are not linear: from audited topics, or imputed."""

from __future__ import annotations

import numpy as np
import polars as pl
from audited_study import study

import dissensus as ds


def test_full_audit_gives_gold_scores_for_every_measure():
    runs, bronze, gold = study(topics=8)
    result = ds.correct(runs, bronze, gold, ["P@5", "AP", "nDCG@10", "RR"])
    truth = ds.evaluate(runs, gold, ["P@5", "AP", "nDCG@10", "RR"])
    for name in truth:
        expected = truth[name].mean("topic").values[0]
        got = result.table.filter(pl.col("measure") == name)["corrected"].to_numpy()
        np.testing.assert_allclose(got, expected, atol=1e-9)
    assert set(result.table["method"]) == {"rectified", "per-topic"}
