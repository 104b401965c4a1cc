"""RankSVM: loss and gradient as over all pairs, and the one solution."""

from __future__ import annotations

import numpy as np
from labelled_pairs import hinge_over_pairs
from refusals import refused, warned
from scipy.optimize import minimize

from dissensus.errors import ConvergenceWarning, InputError
from dissensus.learning import RankSVM
from dissensus.learning.queries import as_queries


def test_solution_equals_an_independent_solver():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.digitize(X @ [1.0, 0.5, 0.0] + 0.5 * rng.normal(size=60), [-0.5, 0.8])
    ranker = RankSVM(C=2.0).fit(X, y, group=[20, 20, 20])
    Z = (X - X.mean(0)) / X.std(0)
    data = as_queries(X, y, [20, 20, 20])

    def objective(w):
        return 0.5 * w @ w + 2.0 / data.pairs() * hinge_over_pairs(Z @ w, y, data.bounds)[0]

    want = minimize(objective, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-12}).x
    np.testing.assert_allclose(ranker.coef_, want, atol=1e-4)
    assert ranker.converged_


def test_total_orders_need_no_pairs():
    n = 20_000
    X = np.random.default_rng(0).normal(size=(n, 2))
    ranker = RankSVM(rounds=30, C=1.0).fit(X, np.argsort(np.argsort(X[:, 0])), group=[n])
    assert abs(ranker.coef_[0]) > 20 * abs(ranker.coef_[1])


def test_says_when_it_has_not_settled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    with warned(ConvergenceWarning, "RankSVM", 1):
        RankSVM(rounds=1, C=100.0).fit(X, rng.integers(0, 3, 50), group=[50])


def test_nothing_to_learn():
    with refused(InputError, "RankSVM"):
        RankSVM().fit(np.eye(4), [1, 1, 0, 0], group=[2, 2])
