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
