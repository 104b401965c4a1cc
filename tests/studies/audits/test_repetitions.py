"""What simulations of audits share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.studies.audits.repetitions import error_of_mean, settings_named


def test_settings_are_those_asked_for_or_all_of_them():
    assert settings_named((), {"even": 1, "weak": 2}) == ("even", "weak")
    assert settings_named(("weak",), {"even": 1, "weak": 2}) == ("weak",)
    with refused(InputError, "odd", "even", "weak"):
        settings_named(("odd",), {"even": 1, "weak": 2})


def test_the_error_of_a_mean_needs_two_values():
    assert error_of_mean(np.array([1.0, 3.0])) == pytest.approx(1.0)
    assert math.isnan(error_of_mean(np.array([1.0])))
