"""Tests for `pt.Experiment(test=…)`: a callable that takes two systems' scores by topic and gives (statistic, p).

    pt.Experiment([bm25, dense], topics, qrels, ["ndcg_cut_10"], baseline=0, test=randomization())

A result frame (qid, docno, score) and qrels (qid, docno, label) go into every verb of dissensus as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from dissensus.errors import InputError
from dissensus.stats.intervals import two_sided_p
from dissensus.stats.randomization import sign_flip

Test = Callable[[ArrayLike, ArrayLike], tuple[float, float]]


def t_test(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
    """(t, p) of the paired t-test.

    >>> t, p = t_test([0.5, 0.7, 0.9, 0.4], [0.4, 0.5, 0.6, 0.4])
    >>> round(t, 4), round(p, 4)
    (2.3238, 0.1027)
    """
    d = _differences(a, b)
    spread = float(d.std(ddof=1))
    if spread == 0:
        return (0.0, 1.0) if d.mean() == 0 else (math.copysign(math.inf, d.mean()), 0.0)
    t = float(d.mean()) / (spread / math.sqrt(len(d)))
    return t, two_sided_p(t, len(d) - 1)


def randomization(replicates: int = 10_000, seed: int = 0) -> Test:
    """The paired randomization test: every topic's difference may as well have the other sign."""

    def test(a: ArrayLike, b: ArrayLike) -> tuple[float, float]:
        d = _differences(a, b)
        return float(d.mean()), float(sign_flip(d, replicates=replicates, seed=seed).p_value)

    return test


def _differences(a: ArrayLike, b: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2 or not np.isfinite(x - y).all():
        raise InputError(
            f"a test compares two systems on the same topics, at least 2; given were {x.shape} and {y.shape} scores.",
            "Give one finite score per topic and system, topics in the same order.",
        )
    return x - y
