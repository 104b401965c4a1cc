"""Rates corrected from counts: the paper's numbers, its erratum, weak judges, and coverage."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from refusals import refused
from wording import phrase

import dissensus as ds
from dissensus.errors import InputError
from dissensus.inference.rates.api import rectified_rate

CALIBRATION = {"relevant": (43, 59), "nonrelevant": (67, 84)}


@pytest.fixture(name="a")
def _a():
    return ds.corrected_rate(0.6260, 10278, **CALIBRATION, sd=0.414)


@pytest.fixture(name="b")
def _b():
    return ds.corrected_rate(0.6385, 20604, **CALIBRATION, sd=0.402)


def test_published_rates(a, b):
    assert a.estimate == pytest.approx(0.8047, abs=5e-5)
    assert b.estimate == pytest.approx(0.8284, abs=5e-5)
    assert a.se == pytest.approx(0.0903, abs=5e-5)
    assert b.se == pytest.approx(0.0923, abs=6e-5)
    assert a.interval == pytest.approx((0.649, 1.014), abs=5e-4)
    assert a.wald == pytest.approx((a.estimate - 1.959964 * a.se, a.estimate + 1.959964 * a.se), abs=1e-6)
    assert a.interval[1] > 1  # never clipped
    assert a.admissible
    assert a.notes == ()


def test_parametric_bootstrap_is_larger(a):
    assert 0.0955 < a.bootstrap_se() < 0.0995
    assert a.bootstrap_se(seed=1) == a.bootstrap_se(seed=1)


def test_table_2_is_inadmissible():
    first = ds.corrected_rate(0.527, 33, relevant=(17, 38), nonrelevant=(216, 262))
    second = ds.corrected_rate(0.513, 33, relevant=(14, 50), nonrelevant=(230, 285))
    assert first.estimate == pytest.approx(1.293, abs=5e-4)
    assert second.estimate == pytest.approx(3.678, abs=2e-3)
    assert not first.admissible
    assert not second.admissible
    assert phrase("rates.not-like-scored-ones") in second.notes[0]
    assert phrase("rates.outside-not-clipped", "[0, 1]") in second.notes[0]


def test_coin_gets_words_not_numbers():
    coin = ds.corrected_rate(0.3, 50, relevant=(5, 10), nonrelevant=(5, 10))
    assert math.isnan(coin.estimate)
    assert coin.interval == (-math.inf, math.inf)
    assert phrase("rates.not-better-coin") in coin.notes[0]
    assert json.loads(coin.to_json())["estimate"] is None
    assert math.isnan(ds.compare_rates(coin, coin).difference)
    reversed_ = ds.corrected_rate(0.3, 50, relevant=(1, 100), nonrelevant=(1, 100))
    assert phrase("rates.grades-reversed") in reversed_.notes[0]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ({"observed": 1.2, "n": 5}, ("observed=1.2",)),
        ({"observed": 0.2, "n": 0}, ("n=0",)),
        ({"observed": 0.2, "n": 2.5}, ("n=2.5",)),
        ({"observed": 0.2, "n": 5, "relevant": (0.73, 59)}, ("hits=0.73",)),
        ({"observed": 0.2, "n": 5, "relevant": (60, 59)}, ("relevant", 60, 59)),
        ({"observed": 0.2, "n": 5, "nonrelevant": (0, 0)}, ("nonrelevant",)),
        ({"observed": 0.2, "n": 5, "nonrelevant": 0.8}, ("nonrelevant=0.8",)),
        ({"observed": 0.2, "n": 5, "sd": -1.0}, ("sd=-1.0",)),
    ],
)
def test_wrong_input_never_gives_a_number(arguments, values):
    with refused(InputError, *values):
        ds.corrected_rate(**{**CALIBRATION, **arguments})


def test_intervals_cover():
    """2,000 repetitions: Lang–Reiczigel and the shared-judge difference cover 95 % (Monte-Carlo error 0.5 %)."""
    rng = np.random.default_rng(5)
    reps, n, n1, n0, se, sp = 2000, 400, 120, 150, 0.85, 0.8
    truth = np.array([0.35, 0.30])
    inside = np.zeros(2)
    for _ in range(reps):
        bronze = rng.binomial(n, truth * se + (1 - truth) * (1 - sp)) / n
        relevant, nonrelevant = (rng.binomial(n1, se), n1), (rng.binomial(n0, sp), n0)
        a, b = (ds.corrected_rate(float(j), n, relevant, nonrelevant) for j in bronze)
        low, high = a.interval
        inside[0] += low <= truth[0] <= high
        low, high = ds.compare_rates(a, b).interval
        inside[1] += low <= truth[0] - truth[1] <= high
    assert np.all((inside / reps >= 0.935) & (inside / reps <= 0.965)), inside / reps


def test_impossible_spreads_are_refused():
    with refused(InputError, "sd=0.9", 0, 1, "0.5", "0.5025"):
        ds.corrected_rate(0.5, 100, (80, 100), (90, 100), sd=0.9)
    with refused(InputError, "sd=0.2"):
        ds.corrected_rate(0.5, 1, (80, 100), (90, 100), sd=0.2)
    a, b = (ds.corrected_rate(rate, 100, (80, 100), (90, 100)) for rate in (0.5, 0.6))
    for sd in (3.0, 0.0):
        with refused(InputError, f"paired_sd={sd}"):
            ds.compare_rates(a, b, paired_sd=sd)
    assert ds.compare_rates(a, b, paired_sd=0.45).se < ds.compare_rates(a, b).se


def test_what_is_no_rate_is_named():
    rate = ds.corrected_rate(0.5, 100, (80, 100), (90, 100))
    with refused(InputError, 'observed="half"'):
        ds.corrected_rate("half", 100, (80, 100), (90, 100))
    with refused(InputError, "b=0.5"):
        ds.compare_rates(rate, 0.5)
    with pytest.raises(InputError) as fraction:
        ds.corrected_rate(0.5, 10.5, (80, 100), (90, 100))
    assert "Hits" not in str(fraction.value)


def test_a_coin_is_printed_without_numbers():
    coin = ds.corrected_rate(0.5, 100, (50, 100), (50, 100))
    assert str(coin).startswith(phrase("rates.no-corrected-rate-interval", 95, "0.5000"))
    assert str(ds.compare_rates(coin, coin)).startswith(phrase("rates.no-difference-given-fieller", 95))
    assert phrase("rates.calibration-document-kind", 1) in str(ds.corrected_rate(0.5, 100, (1, 1), (90, 100)))


def test_by_hand():
    """Called relevant 90 + 20 of which 90 are; rejected 10 + 80 of which 10 are; half a label of either kind added."""
    rate = rectified_rate(0.6, 0.0002, (90, 100), (80, 100), 0.95)
    f1, f0 = 90.5 / 111, 10.5 / 91
    assert rate.estimate == pytest.approx(0.6 * f1 + 0.4 * f0)
    variance = 0.36 * f1 * (1 - f1) / 111 + 0.16 * f0 * (1 - f0) / 91 + (f1 - f0) ** 2 * 0.0002
    assert rate.se == pytest.approx(math.sqrt(variance))
    assert rate.interval == pytest.approx((rate.estimate - 1.959964 * rate.se, rate.estimate + 1.959964 * rate.se))


def test_an_interval_covers_the_share_of_relevant_documents():
    rng = np.random.default_rng(1)
    n, labelled, truth, se, sp = 4000, 150, 0.3, 0.8, 0.85
    inside = 0
    for _ in range(400):
        gold = rng.random(n) < truth
        bronze = np.where(gold, rng.random(n) < se, rng.random(n) > sp)
        g, b = gold[:labelled], bronze[:labelled]
        relevant, nonrelevant = (int((g & b).sum()), int(g.sum())), (int((~g & ~b).sum()), int((~g).sum()))
        rate = bronze.mean()
        low, high = rectified_rate(rate, rate * (1 - rate) / n, relevant, nonrelevant, 0.95).interval
        inside += low <= gold.mean() <= high
    assert 0.92 <= inside / 400 <= 0.985


def test_a_weak_judge_widens_nothing():
    """Labels that say nothing: the rate is that of the gold labels, whatever the judge says of the rest."""
    lean, strict = (rectified_rate(j, 0.0, (50, 100), (50, 100), 0.95) for j in (0.5, 0.9))
    assert lean.estimate == pytest.approx(strict.estimate) == pytest.approx(0.5)
    assert lean.se < 0.06


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
