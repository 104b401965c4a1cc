from __future__ import annotations

import pytest
from sequential_example import example_order, example_walk

from dissensus.inference.sequential.closing import closing, fixed_look, model_se


def test_the_fixed_look_of_the_methods_page():
    walk, gold = example_walk()
    estimate, se = fixed_look(walk, gold[:60], example_order().inclusion(60))
    assert (estimate, se) == pytest.approx((-0.000605, 0.047479), abs=5e-7)


def test_a_multiplier_is_a_level():
    at = closing((0.1, 0.02), (0.1, 0.02), 50, 1.959963984540054)
    assert at.level == pytest.approx(0.95)
    assert (at.low, at.high) == pytest.approx((0.1 - 0.0391993, 0.1 + 0.0391993), abs=1e-6)


def test_what_no_assessor_could_judge_is_bounded_at_closing():
    at = closing((0.05, 0.02), (0.15, 0.01), 50, 3.0)
    assert (at.low, at.estimate, at.high) == pytest.approx((-0.01, 0.1, 0.18))


def test_a_judge_that_showed_no_error_still_has_a_standard_error():
    walk, _ = example_walk()
    right = (walk.prior[walk.label] > 0.5).astype(float)[:60]
    inclusion = example_order().inclusion(60)
    assert model_se(walk, right, inclusion) > 2 * fixed_look(walk, right, inclusion)[1] > 0
