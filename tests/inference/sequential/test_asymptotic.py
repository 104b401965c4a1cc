from __future__ import annotations

import numpy as np
import pytest
from sequential_example import example_walk

from dissensus.inference.sequential.asymptotic import asymptotic


def test_the_numbers_of_the_methods_page():
    walk, gold = example_walk()
    wide = asymptotic(walk.steps(gold), 0.05)
    assert (wide.estimate[59], wide.half[59]) == pytest.approx((-0.026270, 0.158613), abs=5e-7)
    assert wide.effective[59] == pytest.approx(18.3025, abs=5e-5)
    assert (wide.estimate[119], wide.half[119]) == pytest.approx((-0.050177, 0.079728), abs=5e-7)
    assert wide.multiplier[164] == pytest.approx(3.201027, abs=5e-7)


def test_it_rules_only_with_thirty_labels_of_which_enough_say_something():
    walk, gold = example_walk()
    wide = asymptotic(walk.steps(gold), 0.05)
    assert not wide.rules[:29].any()
    assert np.isnan(wide.half[:29]).all()
    assert not wide.rules[59]
    assert wide.rules[119]
