"""Discrimination, position bias and agreement of judges of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from preference_rows import ROWS, simulated

import dissensus as ds
from dissensus.judging.preferences.judge_effects import agreement_table
from dissensus.stats.intervals import ratio_interval


def test_discrimination_and_position_bias_are_found() -> None:
    found = ds.preferences(simulated(3, 150, {"sharp": (2.0, 0.0), "dull": (0.5, 0.8)}))
    assert found.items == "shared"
    gamma = dict(found.judges.rows())
    assert gamma["sharp"] / gamma["dull"] == pytest.approx(4.0, rel=0.35)
    assert gamma["sharp"] * gamma["dull"] == pytest.approx(1.0)
    place = {row["assessor"]: row for row in found.position.rows(named=True)}
    assert place["sharp"]["low"] < 0.5 < place["sharp"]["high"]
    assert place["dull"]["low"] > 0.5
    assert found.strengths["item"].to_list() == ["s0", "s1", "s2", "s3"]
    assert found.strengths["rank_low"].to_list()[0] == 1
    assert "Preferences" in str(found)


def test_agreement_by_hand() -> None:
    row = ds.preferences(ds.Preferences.from_rows(ROWS), items="topic").agreement.row(0, named=True)
    assert (row["assessor"], row["other"], row["n"], row["agreement"]) == ("ann", "bob", 1, 0.0)


def test_only_assessors_that_share_a_question_are_a_pair_and_intervals_are_those_of_one_alone() -> None:
    rng = np.random.default_rng(4)
    rows = [
        (t, f"d{p}", f"e{p}", f"w{k}", "ab"[int(rng.integers(2))])
        for t in range(12) for p in range(3) for k in rng.choice(6, 2, replace=False)
    ]  # fmt: skip
    prefs = ds.Preferences.from_rows([*rows, ("x", "d", "e", "hermit", "a")])
    table = agreement_table(prefs)
    assert "hermit" not in table["assessor"].to_list() + table["other"].to_list()
    answers = {(r[3], r[0], r[1]): r[4] for r in prefs.to_frame().iter_rows()}
    for row in table.iter_rows(named=True):
        met = [(t, answers[row["assessor"], t, d] == answers[row["other"], t, d]) for t in map(str, range(12))
               for d in ("d0", "d1", "d2")
               if (row["assessor"], t, d) in answers and (row["other"], t, d) in answers]  # fmt: skip
        equal = np.array([e for _, e in met], float)
        low, high = ratio_interval(equal, np.ones(len(met)), np.array([int(t) for t, _ in met]), 0.95)
        assert (row["n"], row["agreement"]) == (len(met), pytest.approx(equal.mean()))
        assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))
