"""Win rates, as answered and rectified."""

from __future__ import annotations

import numpy as np
import pytest
from preference_rows import ROWS, simulated
from refusals import refused

import dissensus as ds
from dissensus.errors import InputError
from dissensus.judging.preferences.win_rates import rectified_win_rates, win_rates


def test_rectified_win_rates_are_right_on_average_where_the_judge_likes_the_first_place() -> None:
    naive, fixed, truth, held = [], [], [], 0
    for seed in range(60):
        both = simulated(seed, 60, {"expert": (1.0, 0.0), "judge": (1.0, 0.0)})
        expert, judge = both.by("expert"), both.by("judge")
        flipped = np.where((judge.shown > 0) & (judge.first == 0), 1.0, judge.answer)  # s0 always wins when shown first
        judge = ds.Preferences(
            judge.topics, judge.docs, judge.assessors, judge.topic, judge.first, judge.second, judge.assessor, flipped,
            judge.shown,
        )  # fmt: skip
        drawn = np.random.default_rng(1000 + seed).random(len(expert)) < 0.3
        table = rectified_win_rates(judge, expert.rows(drawn), np.full(int(drawn.sum()), 0.3))
        row = table.filter(table["item"] == "s0").row(0, named=True)
        own = win_rates(expert)
        truth.append(own.filter(own["item"] == "s0")["win_rate"].item())
        naive.append(row["naive"])
        fixed.append(row["win_rate"])
        held += row["low"] <= 0.6915 + 0.02 <= row["high"]  # about P(s0 wins)
    assert np.mean(naive) - np.mean(truth) > 0.1
    assert np.mean(fixed) == pytest.approx(np.mean(truth), abs=0.02)
    assert held >= 50


def test_an_audit_must_be_of_the_judges_pairs() -> None:
    prefs = ds.Preferences.from_rows(ROWS)
    with refused(InputError, 1, "d1"):
        rectified_win_rates(prefs.by("bob"), prefs.by("ann").rows(np.array([0, 1])))
    with refused(InputError):
        rectified_win_rates(prefs, prefs.by("bob"))
