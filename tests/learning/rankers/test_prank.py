"""PRank: thresholds in order, mistakes vanish where they can."""

from __future__ import annotations

import numpy as np

from dissensus.learning import PRank


def test_separable_grades_are_learned_without_mistakes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    true = X @ [1.0, -2.0, 0.5]
    gap = np.abs(true[:, None] - [-1.0, 1.0]).min(axis=1) > 0.3
    X, y = X[gap], np.digitize(true[gap], [-1.0, 1.0])
    ranker = PRank(rounds=500, average=False).fit(X, y, group=[len(y)])
    assert ranker.mistakes_[-1] == 0
    assert (np.diff(ranker.thresholds_) >= 0).all()
    np.testing.assert_array_equal(ranker.predict_grade(X), y)


def one_pass(X, level, order, w, b):
    """Crammer & Singer's algorithm, line by line."""
    for row in order:
        score = w @ X[row]
        wanted = np.where(level[row] > np.arange(len(b)), 1, -1)
        tau = np.where((score - b) * wanted <= 0, wanted, 0)
        w = w + tau.sum() * X[row]
        b = b - tau
    return w, b


def test_kernel_equals_the_algorithm():
    from dissensus.engine.learning.perceptron import perceptron_pass

    rng = np.random.default_rng(2)
    X, level, order = rng.normal(size=(50, 4)), rng.integers(0, 4, 50), rng.permutation(50)
    w, b = np.zeros(4), np.zeros(3)
    perceptron_pass(X, level, order, w, b, np.zeros(4), np.zeros(3))
    want = one_pass(X, level, order, np.zeros(4), np.zeros(3))
    np.testing.assert_allclose(w, want[0])
    np.testing.assert_allclose(b, want[1])
