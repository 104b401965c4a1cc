"""RankBoost: its sums over pairs, its choice of question, its bound on disordered pairs."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from dissensus.errors import InputError
from dissensus.learning import RankBoost
from dissensus.learning.rankers.rankboost import binned


def data(seed=0, group=(7, 1, 9)):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(sum(group), 3)).round(1)
    return X, rng.integers(0, 3, sum(group)).astype(float), np.concatenate([[0], np.cumsum(group)])


def pair_weights(score, y, bounds):
    for a, b in pairwise(bounds):
        for i, j in permutations(range(a, b), 2):
            if y[i] > y[j]:
                yield i, j, np.exp(score[j] - score[i])


def test_pull_equals_the_sum_over_pairs():
    from dissensus.learning.kernels.preference_weights import preference_weights

    _X, y, bounds = data()
    score = np.random.default_rng(1).normal(size=len(y))
    query = np.repeat(np.arange(3), np.diff(bounds))
    pull = np.empty(len(y))
    total = preference_weights(score, y, np.lexsort((y, query)), bounds, pull)
    want, weight = np.zeros(len(y)), 0.0
    for i, j, w in pair_weights(score, y, bounds):
        want[i] += w
        want[j] -= w
        weight += w
    np.testing.assert_allclose(pull, want, rtol=1e-12)
    assert total == pytest.approx(weight)


def test_first_question_is_the_best_of_all():
    X, y, bounds = data(5)
    ranker = RankBoost(rounds=1).fit(X, y, np.diff(bounds))
    pairs = list(pair_weights(np.zeros(len(y)), y, bounds))
    best = 0.0
    for f in range(X.shape[1]):
        for theta in np.unique(X[:, f]):
            above = X[:, f] > theta
            best = max(best, abs(sum(w * (int(above[i]) - int(above[j])) for i, j, w in pairs)) / len(pairs))
    assert np.tanh(abs(ranker.alpha_[0])) == pytest.approx(best)


def test_disordered_pairs_stay_below_the_bound():
    X, y, bounds = data(3, (30, 30))
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
    with pytest.raises(InputError, match="from 2 to 256"):
        RankBoost(bins=300).fit(X, np.arange(1000) % 2, group=[1000])


def test_features_that_split_no_pair_end_training_quietly():
    X = [[1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]
    ranker = RankBoost(rounds=5).fit(X, [0, 1, 0, 1], group=[2, 2])
    assert ranker.n_rounds_ == 0
    assert ranker.predict(X).tolist() == [0.0] * 4
