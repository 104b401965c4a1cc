"""What a test can see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.comparison.power import check_difference, margin, margins, power_of


def test_power_is_never_below_the_size_of_the_test():
    runs = ds.Runs.from_dict({"A": {q: {"x": 2.0, "y": 1.0} for q in "ab"}, "B": {"a": {"y": 2.0}, "b": {"x": 1.0}}})
    bronze = ds.Judgments.from_dict({"llm": {"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}}})
    table = ds.plan(runs, bronze, difference=0.1, measure="P@1").table
    assert (table["power"] >= 0.05 - 1e-9).all()


def test_power_is_that_of_simulated_t_tests():
    rng = np.random.default_rng(0)
    shift, n = 2.5, 10
    x = rng.normal(shift / math.sqrt(n), 1, (20_000, n))
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / math.sqrt(n))
    found = (np.abs(t) > stats.t.ppf(0.975, n - 1)).mean()
    assert power_of(shift, n - 1) == pytest.approx(found, abs=0.012)
    assert power_of(0.0, 5, 0.9) == pytest.approx(0.1)
    assert power_of(math.inf, 5) == 1.0


def test_a_margin_is_seen_with_its_power():
    assert margin(math.inf) == pytest.approx(1.959964 + 0.841621, abs=1e-6)
    assert power_of(margin(math.inf, 0.9, 0.7), math.inf, 0.9) == pytest.approx(0.7, abs=1e-3)
    assert margins(np.array([5.0, 30.0])) == pytest.approx([margin(5.0), margin(30.0)])


@pytest.mark.parametrize("size", [0.0, -0.1, math.nan, math.inf])
def test_a_difference_that_matters_has_a_size(size):
    check_difference(None)
    check_difference(0.01)
    with refused(InputError, 0, by="power.check_difference"):
        check_difference(size)
