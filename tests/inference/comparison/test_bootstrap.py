"""Topics and calibration resampled together."""

from __future__ import annotations

import pytest
from audited_study import study

import dissensus as ds


def counts(se, sp, n_relevant=200, n_other=200):
    hit, passed = round(se * n_relevant), round(sp * n_other)
    return ds.Confusion(None, counts=[[passed, n_other - passed], [n_relevant - hit, hit]])


def test_bootstrap_agrees_with_the_formula():
    runs, bronze, _ = study(topics=40, systems=("A", "B"))
    result = ds.correct(runs, bronze, {"A": counts(0.9, 0.8), "B": counts(0.8, 0.9)}, "P@5")
    wald, resampled = result.compare("A", "B"), result.compare("A", "B", interval="bootstrap")
    assert resampled.interval == pytest.approx(wald.interval, abs=0.03)
