from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from sequential_example import GOLD, C, example_walk
from sequential_twin import SlowTwin

from dissensus.inference.sequential.wealth import ExactSet, LabelSequence, log_wealth_of


def test_every_guess_is_unbiased_over_all_orders_of_three_documents():
    c, rate = np.array([0.5, -0.3, 0.2]), np.array([1.0, 2.0, 0.5])
    label, prior, gold = np.array([0, 1, 0]), np.array([0.2, 0.7]), np.array([1.0, 0.0, 1.0])
    mean = np.zeros(3)
    for order in map(list, permutations(range(3))):
        left, chance = rate.sum(), 1.0
        for d in order:
            chance, left = chance * rate[d] / left, left - rate[d]
        mean += chance * LabelSequence(c[order], rate[order], label[order], prior).steps(gold[order]).z_low
    assert mean == pytest.approx([0.7, 0.7, 0.7], abs=1e-12)


def test_the_numbers_of_the_methods_page():
    walk, gold = example_walk()
    assert (C * GOLD).sum() == pytest.approx(-0.052833, abs=5e-7)
    steps = walk.steps(gold)
    assert steps.z_low[:2] == pytest.approx([0.9864, 0.16512])
    assert steps.low[:2] == pytest.approx([-0.9864, -0.92088])
    assert steps.high[:2] == pytest.approx([0.9864, 1.03392])
    up, down = log_wealth_of(steps.head(60), 0.0)
    assert (up, down) == pytest.approx((-0.652132, -0.149034), abs=5e-7)
    assert np.logaddexp(up, down) - np.log(2) == pytest.approx(-0.369273, abs=5e-7)


def test_the_running_set_of_the_methods_page():
    walk, gold = example_walk()
    steps, exact = walk.steps(gold), ExactSet(0.05)
    looks = [exact.look(steps.head(t)) for t in range(1, 241)]
    assert looks[59] == pytest.approx((-0.196093, 0.122922), abs=5e-7)
    assert looks[119] == pytest.approx((-0.132865, 0.029983), abs=5e-7)
    assert looks[-1] == pytest.approx([(C * GOLD).sum()] * 2, abs=1e-9)


def test_a_slow_twin_gives_the_same_draws_and_sets():
    walk, gold = example_walk()
    steps, exact = walk.steps(gold), ExactSet(0.05)
    twin = SlowTwin(walk.c, walk.rate, walk.label, walk.prior)
    for t in range(40):
        z, low, high, floor, ceiling = twin.draw(gold[t])
        fast = (steps.z_low[t], steps.low[t], steps.high[t], steps.floor[t], steps.ceiling[t])
        assert fast == pytest.approx((z, low, high, floor, ceiling), abs=1e-12)
        if t % 13 == 12:
            step = (ceiling - floor) / 1000
            assert exact.look(steps.head(t + 1)) == pytest.approx(twin.running_set(0.05), abs=2 * step)


def test_looks_that_are_only_peeks_leave_no_trace():
    walk, gold = example_walk()
    steps, curious, calm = walk.steps(gold), ExactSet(0.05), ExactSet(0.05)
    for t in range(10, 120, 10):
        curious.peek(steps.head(t + 3))
        assert curious.look(steps.head(t)) == calm.look(steps.head(t))


def test_a_document_that_cannot_be_judged_widens_the_set_and_keeps_both_truths():
    walk, gold = example_walk()
    holes = gold.copy()
    holes[[3, 20, 41]] = np.nan
    plain, open_ = ExactSet(0.05), ExactSet(0.05)
    full, bounded = walk.steps(gold), walk.steps(holes)
    for t in range(1, 241):
        low, high = open_.look(bounded.head(t))
    at_zero, at_one = (float((walk.c * np.where(np.isnan(holes), v, gold)).sum()) for v in (0.0, 1.0))
    ends = [plain.look(full.head(t)) for t in range(1, 241)][-1]
    assert low <= min(at_zero, at_one) + 1e-12
    assert max(at_zero, at_one) <= high + 1e-12
    assert low < ends[0] <= ends[1] < high
