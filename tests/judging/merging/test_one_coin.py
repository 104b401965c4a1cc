"""One-coin EM against a loop over labels."""

from __future__ import annotations

import numpy as np
from crowds import crowd, good

from dissensus.judging.label_table import labels
from dissensus.judging.merging import one_coin


def test_one_coin_is_its_slow_twin() -> None:
    truth = np.random.default_rng(7).integers(0, 3, 40)
    table = labels(crowd(truth, [good(3, a) for a in (0.9, 0.6, 0.5)], None, seed=8))
    start = table.shares()
    ours = one_coin.fit(table, start, smoothing=0.01, tol=0, max_rounds=5).posterior
    prior = start.mean(axis=0) + 1e-3
    posterior = start
    for _ in range(5):
        right, n = np.zeros(3), np.zeros(3)
        for i, a, h in zip(table.item, table.assessor, table.level, strict=True):
            right[a] += posterior[i, h]
            n[a] += 1
        skill = (right + 0.01) / (n + 0.03)
        new = np.tile(prior / prior.sum(), (40, 1))
        for i, a, h in zip(table.item, table.assessor, table.level, strict=True):
            new[i] *= np.where(np.arange(3) == h, skill[a], (1 - skill[a]) / 2)
        posterior = new / new.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ours, posterior, atol=1e-10)


def test_likelihood_rises_and_an_unlabelled_assessor_has_no_skill() -> None:
    table = labels(crowd(np.arange(60) % 3, [good(3, a) for a in (0.9, 0.6, 0.5)], None, seed=8))
    found = one_coin.fit(table, table.shares(), smoothing=1e-9, tol=1e-8)
    assert found.converged
    assert (np.diff(found.log_likelihood) > -1e-6).all()
    some = table.rows(table.assessor < 2)
    skill = one_coin.fit(some, some.shares()).skill
    assert skill is not None
    assert np.isnan(skill[2])
