"""One round of EM in numpy and compiled: the same posteriors, counts and changes to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.judges.kernels.dawid_skene import STRIDE, believe_for, confuse, count


@pytest.mark.parametrize("most", [STRIDE - 1, 3 * STRIDE])
def test_numpy_and_compiled_rounds_agree(most: int) -> None:
    rng = np.random.default_rng(most)
    k, judges, docs, groups = 4, 5, 40, 3
    bounds = np.r_[0, np.cumsum(rng.integers(0, most, docs))].astype(np.int64)
    code = rng.integers(0, judges * k, bounds[-1]).astype(np.int32)
    group = rng.integers(0, groups, docs).astype(np.int32)
    start = rng.dirichlet(np.ones(k), docs)
    results = []
    for form in ("fast", "vectorised"):
        posterior, counts, mass = start.copy(), np.zeros((judges * k, k)), np.zeros((groups, k))
        getattr(count, form)(2, docs, bounds, code, group, posterior, counts, mass)
        confusion = np.empty((judges * k, k))
        getattr(confuse, form)(np.stack([counts, counts / 3]), 0.01, 1e-10, confusion)
        prior = rng.spawn(1)[0].dirichlet(np.ones(k), groups) if not results else results[0][-1]
        new, weight = np.zeros_like(counts), np.zeros_like(mass)
        believe = getattr(believe_for(k), form)
        likelihood, change = believe(0, docs, bounds, code, confusion, prior, group, posterior, new, weight)
        results.append((counts, mass, confusion, posterior, new, weight, change, likelihood, prior))
    for compiled, plain in zip(results[0][:7], results[1][:7], strict=True):
        np.testing.assert_array_equal(plain, compiled)
    assert results[0][7] == pytest.approx(results[1][7], rel=1e-13)
