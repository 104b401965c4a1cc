"""One round of EM: Bayes' rule in logarithms."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.engine.dawid_skene import STRIDE, believe_for, confuse, count

K, JUDGES = 3, 4
RNG = np.random.default_rng(1)
BOUNDS = np.array([0, 3, 3, 4, 4 + 3 * STRIDE], np.int64)  # the second document has no label, the last has many
CODE = RNG.integers(0, JUDGES * K, int(BOUNDS[-1])).astype(np.uint32)
CONFUSION = RNG.dirichlet(np.ones(K), (JUDGES, K)).transpose(0, 2, 1).reshape(JUDGES * K, K).copy()
PRIOR = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
GROUP = np.array([0, 1, 1, 0], np.int32)


def test_the_e_step_is_bayes_rule() -> None:
    posterior, counts, mass = np.zeros((4, K)), np.zeros((JUDGES * K, K)), np.zeros((2, K))
    likelihood, change = believe_for(K)(0, 4, BOUNDS, CODE, CONFUSION, PRIOR, GROUP, posterior, counts, mass)
    total, slow_counts, slow_mass = 0.0, np.zeros((JUDGES * K, K)), np.zeros((2, K))
    for i in (0, 2, 3):
        codes = CODE[BOUNDS[i] : BOUNDS[i + 1]]
        logs = np.log(PRIOR[GROUP[i]]) + np.log(CONFUSION[codes]).sum(axis=0)
        size = np.logaddexp.reduce(logs)
        p = np.exp(logs - size)
        np.testing.assert_allclose(posterior[i], p, atol=1e-12)
        total += size
        slow_mass[GROUP[i]] += p
        for c in codes:
            slow_counts[c] += p
    assert likelihood == pytest.approx(total)
    assert change == pytest.approx(posterior.max())
    assert posterior[1].tolist() == [0, 0, 0]
    np.testing.assert_allclose(counts, slow_counts, atol=1e-12)
    np.testing.assert_allclose(mass, slow_mass, atol=1e-12)
    again, masses = np.zeros((JUDGES * K, K)), np.zeros((2, K))
    count(0, 4, BOUNDS, CODE, GROUP, posterior, again, masses)
    np.testing.assert_allclose(again, slow_counts, atol=1e-12)
    np.testing.assert_allclose(masses, slow_mass, atol=1e-12)


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
def test_the_m_step_shares_out_each_true_level(smoothing: float) -> None:
    tables = RNG.random((2, JUDGES * K, K))
    tables[:, 0] = 0  # the first judge never gives the first level
    tables[:, 4, 1] = 0  # a cell of a level that the second judge uses
    confusion = np.empty((JUDGES * K, K))
    confuse(0, 1, tables, smoothing, 1e-10, confusion)
    confuse(1, JUDGES, tables, smoothing, 1e-10, confusion)
    cells = (tables.sum(axis=0) + smoothing).reshape(JUDGES, K, K)
    cells = np.where(cells.sum(axis=2, keepdims=True) > 0, np.maximum(cells, 1e-10), 0)
    np.testing.assert_allclose(confusion.reshape(JUDGES, K, K), cells / cells.sum(axis=1, keepdims=True), atol=1e-14)
