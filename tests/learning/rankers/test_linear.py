"""Linear rankers."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused
from small_rankers import make, small_fold  # noqa: F401 (a fixture)
from wording import phrase

from dissensus import learning
from dissensus.errors import InputError


@pytest.mark.parametrize("name", ["PRank", "RankSVM", "ListNet", "AdaRank"])
def test_features_too_large_to_standardise_are_refused(name, fold):
    with refused(InputError, 0, "X"):
        make(name).fit(fold.train.X * 1e200, fold.train.y, fold.train.group)


def test_scores_are_weights_of_standardised_features():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5, 2, 60), np.full(60, 7.0), rng.normal(size=60)])
    y = (X[:, 0] + rng.normal(size=60) > 5).astype(int)
    ranker = learning.RankSVM().fit(X, y, [20, 20, 20])
    Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
    assert ranker.predict(X) == pytest.approx(Z @ ranker.coef_)
    assert ranker.coef_[1] == pytest.approx(0)
    assert any(phrase("rankers-linear.features-never-vary", 1) in note for note in ranker.notes_)


@pytest.mark.parametrize("factor", [1e-3, 1e6])
def test_units_of_features_do_not_matter(factor):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    one, other = (learning.RankSVM().fit(x, y, [20, 20]).predict(x) for x in (X, X * [factor, 1]))
    assert one == pytest.approx(other, abs=1e-4)
