"""What the ways of merging share: normalising logarithms, priors and sums by item."""

from __future__ import annotations

import numpy as np

from dissensus.judging.merging.fit import item_sums, log_shares, normalised, vote_sums


def test_normalised_is_softmax_without_overflow() -> None:
    logs = np.array([[-2000.0, -2001.0, -2000.5], [3.0, 3.0, 900.0]])
    p, size = normalised(logs)
    slow = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    np.testing.assert_allclose(p, slow, atol=1e-15)
    np.testing.assert_allclose(size, np.logaddexp.reduce(logs, axis=1))


def test_a_grade_nobody_gave_keeps_a_little_prior() -> None:
    prior = np.exp(log_shares(np.array([[1.0, 0.0], [1.0, 0.0]])))
    np.testing.assert_allclose(prior, [1.001 / 1.002, 0.001 / 1.002])


def test_sums_by_item() -> None:
    item, level, gain = np.array([0, 2, 2]), np.array([1, 0, 1]), np.array([0.5, 2.0, 3.0])
    assert vote_sums(item * 2 + level, gain, 3, 2).tolist() == [[0, 0.5], [0, 0], [2, 3]]
    assert item_sums(item, np.array([[1.0, 2], [3, 4], [5, 6]]), 3).tolist() == [[1, 2], [0, 0], [8, 10]]
