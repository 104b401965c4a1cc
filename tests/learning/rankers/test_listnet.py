"""ListNet: gradient by differences, convex solution."""

from __future__ import annotations

import numpy as np
from scipy.optimize import check_grad

from dissensus.learning import ListNet
from dissensus.learning.queries import as_queries
from dissensus.learning.rankers.listnet import softmax


def test_softmax_within_queries_and_safe():
    share, log_sum = softmax(np.array([1000.0, 1000.0, 0.0]), np.array([0, 2]), np.array([0, 0, 1]))
    np.testing.assert_allclose(share, [0.5, 0.5, 1.0])
    np.testing.assert_allclose(log_sum, [1000 + np.log(2), 0.0])


def test_objective_is_the_papers_cross_entropy():
    rng = np.random.default_rng(0)
    X, y, group = rng.normal(size=(30, 4)), rng.integers(0, 3, 30), [10, 5, 15]
    data = as_queries(X, y, group)
    ranker = ListNet(l2=0.1)
    kept = {}

    def keep(objective, size, **_):
        kept["objective"] = objective
        ranker.coef_ = np.zeros(size)

    ranker._descend = keep
    ranker.notes_ = ()
    ranker._learn(data, None, None)
    objective = kept["objective"]
    w = rng.normal(size=4)
    assert check_grad(lambda v: objective(v)[0], lambda v: objective(v)[1], w) < 1e-5
    Z = (X - X.mean(0)) / X.std(0)
    want = 0.0
    for a, b in zip(data.bounds[:-1], data.bounds[1:], strict=True):
        p_y = np.exp(y[a:b]) / np.exp(y[a:b]).sum()
        p_s = np.exp(Z[a:b] @ w) / np.exp(Z[a:b] @ w).sum()
        want -= (p_y * np.log(p_s)).sum() / 3
    np.testing.assert_allclose(objective(w)[0], want + 0.05 * w @ w)


def test_learns_from_fractions():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    ranker = ListNet().fit(X, [0.0, 0.3, 0.6, 2.5], group=[4])
    assert np.argsort(-ranker.predict(X)).tolist() == [3, 2, 1, 0]
