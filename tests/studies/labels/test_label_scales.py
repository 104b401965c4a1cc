"""pNoise by number of grades and balance: the paper's words against its definition."""

from __future__ import annotations

import polars as pl
import pytest

from dissensus.studies.labels.label_scales import BALANCE, GRADES, orders_hold, pair_noise_by_scale

LEVELS = [0.05 * i for i in range(1, 10)]  # at 0.5 two grades are pure noise, whatever their balance


def test_proportions_are_proportions() -> None:
    for sets in (GRADES, BALANCE):
        for scales in sets.values():
            for r in scales.values():
                assert sum(r) == pytest.approx(1)


def test_better_balance_lowers_pair_noise_everywhere() -> None:
    held = orders_hold(pair_noise_by_scale(["uniform", "distance"], LEVELS)).filter(pl.col("figure") == "Fig. 11")
    assert (held["falls at"] == 1.0).all()


def test_more_grades_do_not_always() -> None:
    """METHODS: false for MSLR's two to three grades below dNoise of about 0.24."""
    held = orders_hold(pair_noise_by_scale(["uniform"], LEVELS)).filter(
        pl.col("set") == "MSLR-WEB10K", pl.col("step") == "C = 2 → C = 3"
    )
    assert held["falls at"].item() < 1
    assert held["last level without a fall"].item() == pytest.approx(0.2)


def test_td2003_at_a_tenth() -> None:
    table = pair_noise_by_scale(["uniform"], [0.1])
    row = table.filter(pl.col("figure") == "Fig. 7", pl.col("set") == "TD2003", pl.col("scale") == "C = 2")
    assert row["pnoise"].item() == pytest.approx(0.467, abs=5e-4)
