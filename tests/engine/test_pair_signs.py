"""τ and τ_ap of many rankings at once, against one pair of rankings at a time."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.engine.pair_signs import signs_of, surpluses
from dissensus.stats.correlation import kendall_tau, tau_ap


def test_surpluses_are_tau_and_tau_ap_with_ties() -> None:
    rng = np.random.default_rng(0)
    references, rankings = rng.integers(0, 5, (3, 7)).astype(float), rng.integers(0, 5, (4, 7)).astype(float)
    pairs = 7 * 6 // 2
    signs = np.empty((pairs, 3), np.float32)
    signs_of(references, signs)
    at = 0
    for i in range(7):
        for j in range(i + 1, 7):
            assert signs[at].tolist() == np.sign(references[:, i] - references[:, j]).tolist()
            at += 1
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, 8))))
    plain, weighted = np.empty((4, 3)), np.empty((4, 3))
    surpluses(rankings, harmonic, signs, plain, weighted)
    for r in range(4):
        for k in range(3):
            assert plain[r, k] / pairs == pytest.approx(float(kendall_tau(references[k], rankings[r])), abs=1e-6)
            assert weighted[r, k] / 6 == pytest.approx(float(tau_ap(references[k], rankings[r])), abs=1e-6)
