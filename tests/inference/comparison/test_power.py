"""What a test can see."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from scipy import stats
from wording import phrase

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


def test_needs_bring_the_half_width() -> None:
    rate = ds.corrected_rate(0.6, 500, (160, 200), (160, 200))
    needed = rate.needed(0.08)
    z = 1.959964
    more = ds.corrected_rate(0.6, int(needed.queries), (160, 200), (160, 200))
    assert z * more.se == pytest.approx(0.08, rel=0.01)
    scale = needed.labels / 400
    counts = (round(160 * scale), round(200 * scale))
    labels = ds.corrected_rate(0.6, 500, counts, counts)
    assert z * labels.se == pytest.approx(0.08, rel=0.02)
    assert math.isnan(rate.needed(0.001).queries)
    assert phrase("needs.no-number-queries") in str(rate.needed(0.001))
    with refused(InputError, 0, "half_width=0.0"):
        rate.needed(0.0)


def test_differences_need_queries_under_a_shared_judge() -> None:
    a, b = (ds.corrected_rate(j, 1000, (160, 200), (160, 200)) for j in (0.6, 0.58))
    found = ds.compare_rates(a, b)
    needed = found.needed(0.03)
    assert needed.queries > 2000
    more = (ds.corrected_rate(j, int(needed.queries / 2), (160, 200), (160, 200)) for j in (0.6, 0.58))
    assert (1.959964 + 0.841621) * ds.compare_rates(*more).se == pytest.approx(0.03, rel=0.01)


def test_rectified_rate_covers_and_is_shorter() -> None:
    rng = np.random.default_rng(0)
    held = shorter = 0
    for _ in range(300):
        gold = rng.random(2000) < 0.4
        bronze = np.where(gold, rng.random(2000) < 0.75, rng.random(2000) < 0.3)
        seen = rng.random(2000) < 0.1
        counts = [(int((bronze[seen & gold]).sum()), int((seen & gold).sum())),
                  (int((~bronze[seen & ~gold]).sum()), int((seen & ~gold).sum()))]  # fmt: skip
        rate = ds.corrected_rate(float(bronze.mean()), 2000, *counts, inside=True)
        assert rate.rectified is not None
        low, high = rate.rectified.interval
        held += low <= 0.4 <= high
        shorter += high - low < rate.interval[1] - rate.interval[0]
    assert held / 300 > 0.92
    assert shorter == 300


def test_the_rectified_rate_is_pointed_to() -> None:
    inside = ds.corrected_rate(0.5, 1000, (40, 50), (40, 50), inside=True)
    assert inside.rectified is not None
    assert any("rectified" in note and "shorter" in note for note in inside.notes)
    outside = ds.corrected_rate(0.5, 1000, (40, 50), (40, 50))
    assert outside.rectified is None
