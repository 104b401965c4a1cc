"""Coefficients are numbers, and say why they are missing by a value."""

from __future__ import annotations

import math

import numpy as np

from dissensus.judging.agreement.coefficient_interval import WHY, Coefficient, Resampling, from_totals


def test_a_coefficient_is_a_number() -> None:
    assert Coefficient(0.5) + 1 == 1.5
    assert Coefficient(0.5).note == ""


def test_every_reason_has_its_words() -> None:
    for reason in WHY:
        missing = Coefficient(math.nan, undefined=reason)
        assert missing.note == WHY[reason]
        assert missing.to_dict()["note"] == WHY[reason]


def test_totals_without_pairs_and_with_one_grade() -> None:
    nothing = from_totals(np.zeros((3, 2)), lambda z: np.full(len(z), np.nan), Resampling(replicates=99), 0)
    assert nothing.undefined == "no pairs"
    constant = from_totals(np.ones((3, 2)), lambda z: np.full(len(z), np.nan), Resampling(replicates=99), 3)
    assert constant.undefined == "one grade"


def test_equal_units_give_a_point() -> None:
    e = from_totals(np.tile([1.0, 2.0], (12, 1)), lambda z: z[:, 0] / z[:, 1], Resampling(replicates=99), 12)
    assert (float(e), e.low, e.high) == (0.5, 0.5, 0.5)
