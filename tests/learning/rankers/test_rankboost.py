"""RankBoost: its sums over pairs, its choice of question, its bound on disordered pairs."""

from __future__ import annotations

import numpy as np
import pytest
from labelled_pairs import pair_weights, ranking_data
from refusals import refused

from dissensus.errors import InputError
from dissensus.learning import RankBoost
from dissensus.learning.rankers.rankboost import binned


def test_first_question_is_the_best_of_all():
    X, y, bounds = ranking_data(5)
    ranker = RankBoost(rounds=1).fit(X, y, np.diff(bounds))
    pairs = list(pair_weights(np.zeros(len(y)), y, bounds))
    best = 0.0
    for f in range(X.shape[1]):
        for theta in np.unique(X[:, f]):
            above = X[:, f] > theta
            best = max(best, abs(sum(w * (int(above[i]) - int(above[j])) for i, j, w in pairs)) / len(pairs))
    assert np.tanh(abs(ranker.alpha_[0])) == pytest.approx(best)


def test_disordered_pairs_stay_below_the_bound():
    X, y, bounds = ranking_data(3, (30, 30))
    pairs = list(pair_weights(np.zeros(len(y)), y, bounds))
    for rounds in (1, 5, 20, 60):
        ranker = RankBoost(rounds=rounds).fit(X, y, np.diff(bounds))
        score = ranker.predict(X)
        wrong = np.mean([score[i] <= score[j] for i, j, _ in pairs])
        bound = np.prod(1 / np.cosh(ranker.alpha_))  # Π Z_t ≤ Π sqrt(1 − r²) = Π 1/cosh α
        assert wrong <= bound + 1e-9


def test_bins_are_cut_between_values():
    X = np.random.default_rng(0).normal(size=(1000, 1))
    edges, bins, n = binned(X, 16)
    assert n[0] == len(edges[0]) + 1 <= 17
    np.testing.assert_array_equal(bins[0], (edges[0][None, :] < X).sum(axis=1))
    assert np.bincount(bins[0]).min() > 30
    with refused(InputError, 2, 256, "RankBoost(bins=300)"):
        RankBoost(bins=300).fit(X, np.arange(1000) % 2, group=[1000])


def test_features_that_split_no_pair_end_training_quietly():
    X = [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
    ranker = RankBoost(rounds=5).fit(X, [0, 1, 0, 1], group=[2, 2])
    assert ranker.n_rounds_ == 0
    assert ranker.predict(X).tolist() == [0.0] * 4
