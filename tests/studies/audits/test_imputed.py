"""Measures that are not linear, simulated."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.audits.imputed import SETTINGS, draw, imputed_coverage


def test_unknown_imputed_setting():
    with refused(InputError, "rain"):
        imputed_coverage(10, settings=("rain",))


def test_coverage():
    """40 studies, 240 differences (Monte-Carlo error about 2.5 %): intervals hold, differences are not shrunk."""
    table = imputed_coverage(40, seed=5, measures=("AP",), settings=("favours one system",), check=False)
    by = {r["method"]: r for r in table.iter_rows(named=True)}
    assert 0.88 <= by["rectified"]["coverage"] <= 0.995
    assert 0.85 <= by["rectified"]["left"] <= 1.1
    assert by["imputed"]["left"] < 0.6
    assert by["imputed"]["coverage"] < 0.7
    assert by["naive"]["coverage"] < 0.5
    assert by["rectified"]["rmse"] < by["imputed"]["rmse"] < by["naive"]["rmse"]


def test_the_simulated_judge_errs_as_it_should():
    study_, whole = draw(SETTINGS["even"], np.random.default_rng(1))
    gold, said = whole.bronze, study_.bronze
    assert said[gold == 1].mean() == pytest.approx(0.85, abs=0.05)
    assert said[gold == 0].mean() == pytest.approx(0.2, abs=0.05)
    assert study_.audited.mean() == pytest.approx(0.25, abs=0.04)
