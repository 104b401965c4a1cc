"""Kernel of RankBoost: the feature and threshold that agree best with what the pairs want."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def best_threshold(bins, n_bins, pull):  # type: ignore[no-untyped-def]
    """(feature, bin, r): the weak ranker "bin of feature above `bin`" with the largest |Σ pull over those above|.

    `bins` is features × documents. Ties go to the first feature and bin.
    """
    sums = np.zeros(256)
    best_feature, best_bin, best = 0, 0, 0.0
    for f in range(bins.shape[0]):
        k = n_bins[f]
        if k < 2:
            continue
        for i in range(k):
            sums[i] = 0.0
        row = bins[f]
        for d in range(len(pull)):
            sums[row[d]] += pull[d]
        above = 0.0
        for i in range(k - 1, 0, -1):
            above += sums[i]
            if abs(above) > abs(best) + 1e-15:
                best_feature, best_bin, best = f, i - 1, above
    return best_feature, best_bin, best
