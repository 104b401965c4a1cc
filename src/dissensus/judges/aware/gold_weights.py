"""Closeness to gold: weights for assessors from topics where the truth is known.

1 − gap with the gaps of AWARE taken to the gold scores instead of random ones (so here small gaps are good), 0 for
scores that do not tell systems apart; orders count by max(τ, 0) and max(τ_ap, 0), gold being the reference. Topics
without gold take the assessor's mean over the topics that have it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.judges.aware.distances import gap_sums

Floats = NDArray[np.float64]


def closeness(mine: Floats, gold: Floats, gap: str, granularity: str) -> Floats:
    """Closeness (assessor, topic) of scores (assessor, system, topic) to gold's (system, topic), NaN where unjudged."""
    known = np.isfinite(gold).all(axis=0)
    if not known.any():
        raise InputError("gold judged no topic of the runs.", "Weights by gold need topics that gold judged.")
    out = np.full((len(mine), gold.shape[1]), np.nan)
    for k, scores in enumerate(mine):
        topics = np.flatnonzero(known & np.isfinite(scores).all(axis=0))
        if not len(topics):
            continue  # shares no topic with gold: nothing is known of this assessor
        if granularity == "sgl":
            out[k] = _close(scores[:, topics], gold[:, topics], gap)
        else:
            out[k, topics] = [_close(scores[:, [t]], gold[:, [t]], gap) for t in topics]
            out[k] = np.where(np.isnan(out[k]), np.nanmean(out[k]), out[k])
    lost = np.isnan(out).all(axis=1)
    out[lost] = np.nanmean(out) if not lost.all() else 1.0
    return out


def _close(scores: Floats, gold: Floats, gap: str) -> float:
    """Closeness of two tables system × topic."""
    from dissensus.stats.correlation import kendall_tau, tau_ap

    if np.ptp(scores, axis=0).max() == 0:
        return 0.0
    if gap in ("tau", "apc"):
        ours, theirs = scores.mean(axis=1), gold.mean(axis=1)
        found = kendall_tau(theirs, ours) if gap == "tau" else tau_ap(theirs, ours)
        return max(float(found), 0.0)
    return 1.0 - float(gap_sums(scores[None], gold[None], [gap])["sgl", gap][0])
