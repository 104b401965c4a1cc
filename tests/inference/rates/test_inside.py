"""The rectified rate from counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dissensus.inference.rates.inside import rectified_rate


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
