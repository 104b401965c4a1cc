"""Simulated judges: pooled differences hold and gain."""

from __future__ import annotations

import polars as pl

from dissensus.studies.audits.pooled_simulated import SETTINGS, simulated_table
from dissensus.studies.pooled import gain


def test_pooled_differences_hold_and_gain_in_every_setting() -> None:
    table = simulated_table(40, (200,), seed=1)
    assert set(table["setting"]) == set(SETTINGS)
    pooled = table.filter(pl.col("method") == "pooled")
    slack = 2 * pooled["mc_error"]
    assert ((pooled["covered"] + slack) >= 0.93).all()
    assert (pooled["wrong"] < 0.01).all()
    found = gain(table, ("setting", "labels"))
    assert (found["rmse_ratio"] < 0.85).all()
    assert (found["tau_gain"] > 0).all()
    assert (found["apart_ratio"] > 1).all()
    assert (found["covered_lost"] < 0.05).all()
