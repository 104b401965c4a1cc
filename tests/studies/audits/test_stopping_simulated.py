"""Simulated judges of audits in order."""

from __future__ import annotations

import pytest

from dissensus.studies.audits.stopping_simulated import simulated_contrast, simulated_table


def test_one_seed_gives_one_table():
    first, again = (simulated_table(4, seed=3) for _ in range(2))
    assert first.equals(again)
    assert first["paths"].to_list() == [4] * 6


def test_judges_err_as_they_are_called():
    for judge, (hit, false) in (("honest", (0.85, 0.2)), ("hostile", (0.2, 0.8))):
        one = simulated_contrast(judge, 1, documents=4000)
        assert one.label[one.gold == 1].mean() == pytest.approx(hit, abs=0.04)
        assert one.label[one.gold == 0].mean() == pytest.approx(false, abs=0.04)
    rare = simulated_contrast("one-sided errors, 1 %", 1, documents=1000)
    wrong = rare.label != rare.gold
    assert wrong.sum() == 10
    assert (rare.c[wrong] * (rare.label - rare.gold)[wrong] > 0).all()  # each favours the first system


def test_the_truth_is_the_sum_of_weighted_gold_values():
    one = simulated_contrast("weak", 2)
    assert one.truth == pytest.approx(float(one.c @ one.gold))
