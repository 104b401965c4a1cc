from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from dissensus.inference.sequential.many import ManyPairs
from dissensus.inference.sequential.wealth import LabelSequence, log_wealth_of


def _study(seed: int, systems: int = 5, documents: int = 80):
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.0, 0.1, 0.2], size=(systems, documents), p=[0.5, 0.3, 0.2]) / 10
    rate = weight.std(axis=0) * rng.uniform(0.2, 0.5, documents) + 1e-4
    label = rng.integers(0, 3, documents)
    gold = (rng.random(documents) < np.array([0.1, 0.5, 0.9])[label]).astype(np.float64)
    pairs = np.array(list(combinations(range(systems), 2)))
    return weight, rate, label, np.array([0.1, 0.5, 0.9]), pairs, gold


@pytest.mark.parametrize("holes", [(), (4, 17, 30)])
def test_the_wealth_of_every_pair_is_that_of_the_pair_followed_alone(holes):
    weight, rate, label, prior, pairs, gold = _study(3)
    gold[list(holes)] = np.nan
    many = ManyPairs(weight, rate, label, prior, pairs, 0.05)
    for v in gold[:50]:
        many.add(v)
    logs = np.array([np.log(np.exp(side - side.max(axis=1, keepdims=True)).mean(axis=1)) + side.max(axis=1)
                     for side in many.logs])  # fmt: skip
    floor, ceiling = many.certain()
    for k, (a, b) in enumerate(pairs):
        steps = LabelSequence(weight[a] - weight[b], rate, label, prior).steps(gold[:50])
        assert logs[:, k] == pytest.approx(log_wealth_of(steps, 0.0), abs=1e-9)
        assert (floor[k], ceiling[k]) == pytest.approx((steps.floor[-1], steps.ceiling[-1]), abs=1e-12)


def test_a_pair_is_decided_at_the_number_of_open_pairs_over_alpha():
    weight, rate, label, prior, pairs, gold = _study(5)
    weight[0] += 0.05 * gold  # system 0 finds what is relevant
    many = ManyPairs(weight, rate, label, prior, pairs, 0.05)
    for v in gold:
        before = many.open
        for k in many.add(v):
            certain = many.certain()[0][k] > 0 or many.certain()[1][k] < 0
            assert certain or many.peak[k] >= math.log((many.open + 1) / 0.05)
        assert many.open <= before
    truth = weight @ gold
    for k, (a, b) in enumerate(pairs):
        if many.decided_at[k]:
            assert many.side[k] == np.sign(truth[a] - truth[b])
        else:
            assert truth[a] == pytest.approx(truth[b])
