"""LambdaRank's objective against its formula."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from dissensus.learning.queries import as_queries
from dissensus.learning.rankers.lambdamart import ideals
from dissensus.studies.generated.features import Shape, generate


def test_first_gradients_equal_the_formula():
    from dissensus.learning.rankers.lambdamart import LambdaObjective

    rng = np.random.default_rng(3)
    data = as_queries(rng.normal(size=(9, 1)), [0.0, 1.5, 2.0, 0.2, 0, 3, 1, 1, 0], [5, 4])
    gain = np.exp2(data.y) - 1
    discount = 1 / np.log2(np.arange(5) + 2)
    score = rng.normal(size=9)
    objective = LambdaObjective(data, gain, discount[None], np.zeros(2, np.int64), depth=3, norm=False)
    grad, hess = objective(score)
    want, curve = np.zeros(9), np.zeros(9)
    for a, b in ((0, 5), (5, 9)):
        order = a + np.argsort(-score[a:b])
        ideal = np.sort(gain[a:b])[::-1][:3] @ discount[:3]
        for r in range(b - a):
            for p in range(r + 1, b - a):
                i, j = order[r], order[p]
                if r >= 3 or gain[i] == gain[j]:
                    continue
                up, down = (i, j) if gain[i] > gain[j] else (j, i)
                weight = abs((gain[i] - gain[j]) * (discount[r] - discount[p])) / ideal
                miss = 1 / (1 + np.exp(score[up] - score[down]))
                want[up] -= weight * miss
                want[down] += weight * miss
                for d in (up, down):
                    curve[d] += weight * miss * (1 - miss)
    np.testing.assert_allclose(grad, want, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(hess, curve, rtol=1e-4, atol=1e-7)


def test_threads_do_not_change_the_objective():
    from dissensus.learning.rankers.lambdamart import LambdaObjective

    data = as_queries(generate(Shape(40, 50, 3, (0.5, 0.5)), seed=0))
    score = np.random.default_rng(0).normal(size=len(data.y))
    kind, discount = np.zeros(40, np.int64), 1 / np.log2(np.arange(200) + 2.0)[None]
    one, three = (LambdaObjective(data, data.y, discount, kind, depth=30, workers=w)(score) for w in (1, 3))
    np.testing.assert_array_equal(one, three)


def test_ideal_is_the_best_ordering_under_delta():
    rng = np.random.default_rng(0)
    gain, delta = rng.random(5), rng.random(5)
    got = ideals(gain, np.array([0, 5]), delta[None], np.zeros(1, np.int64), 5)
    assert got[0] == pytest.approx(max(np.array(p) @ delta for p in permutations(gain)))
