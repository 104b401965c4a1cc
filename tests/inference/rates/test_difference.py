"""The difference of two corrected rates, from counts."""

from __future__ import annotations

import math

import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError

CALIBRATION = {"relevant": (43, 59), "nonrelevant": (67, 84)}


@pytest.fixture(name="a")
def _a():
    return ds.corrected_rate(0.6260, 10278, **CALIBRATION, sd=0.414)


@pytest.fixture(name="b")
def _b():
    return ds.corrected_rate(0.6385, 20604, **CALIBRATION, sd=0.402)


def test_shared_judge_reverses_the_papers_headline(a, b):
    shared, separate = ds.compare_rates(a, b), ds.compare_rates(a, b, judge="separate")
    assert shared.difference == pytest.approx(-0.02374, abs=1e-5)
    assert shared.se == pytest.approx(0.00996, abs=5e-6)
    assert shared.p_value == shared.p_wald == pytest.approx(0.017, abs=5e-4)
    assert shared.p_fieller == pytest.approx(0.0116, abs=5e-5)
    assert shared.method == "Wald"
    assert separate.p_value == pytest.approx(0.854, abs=5e-4)
    assert separate.se == pytest.approx(math.hypot(a.se, b.se))
    assert "p = 0.0171 (Wald p = 0.0171, Fieller p = 0.0116)" in str(shared)


def test_paired_queries(a):
    b = ds.corrected_rate(0.6385, 10278, **CALIBRATION, sd=0.402)
    loose, tight = ds.compare_rates(a, b), ds.compare_rates(a, b, paired_sd=0.1)
    assert tight.se < loose.se
    assert tight.difference == loose.difference
    same = ds.compare_rates(a, b, paired_sd=math.hypot(0.414, 0.402))  # no correlation between the two
    assert same.se == pytest.approx(loose.se)
    separate = ds.compare_rates(a, b, "separate", paired_sd=0.1)
    assert separate.se < ds.compare_rates(a, b, "separate").se


def test_weak_judge_gives_rays_or_the_line():
    c = ds.corrected_rate(0.3, 50, relevant=(5, 10), nonrelevant=(6, 10))
    e = ds.corrected_rate(0.5, 50, relevant=(5, 10), nonrelevant=(6, 10))
    both = ds.compare_rates(c, e)
    assert both.method == "Fieller"
    assert both.fieller.kind == "two rays"
    assert both.interval == (-math.inf, math.inf)
    assert 0.0 not in both.fieller
    assert both.p_value < 0.05
    assert phrase("rates-difference.not-separated", 0) in both.notes[-1]
    assert ds.compare_rates(c, c).fieller.kind == "line"
    assert ds.compare_rates(c, e, "separate").p_value == 1.0


def test_shared_needs_one_calibration(a):
    other = ds.corrected_rate(0.6, 10278, relevant=(40, 59), nonrelevant=(67, 84), sd=0.4)
    with refused(InputError, 'judge="shared"'):
        ds.compare_rates(a, other)
    assert ds.compare_rates(a, other, "separate").judge == "separate"
    with refused(InputError, 'judge="both"', "shared"):
        ds.compare_rates(a, a, "both")


def test_a_comparison_repeats_what_is_impossible_about_its_rates():
    high, low = (ds.corrected_rate(rate, 100, (80, 100), (90, 100)) for rate in (1.0, 0.5))
    said = str(ds.compare_rates(high, low))
    assert phrase("rates-difference.lies-above-se-impossible", "0.8000", "5.00", "0.001") in said
