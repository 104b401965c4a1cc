"""Objectives that LightGBM trains on: LambdaRank with any gains and any discount per query class."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.learning.queries import Queries
from dissensus.work.threads import on_threads


class LambdaObjective:
    """`objective(scores, _)` gives gradient and hessian: LambdaRank (Burges 2010) for Σ gain·δ(rank) / ideal.

    `gain` is any number per document: 2^grade − 1, posterior means, user-disagreement weights. `discount` holds one row
    δ(1), δ(2), … per query class, `kind` the class of each query; ranks beyond the row have δ = 0. The ideal puts the
    largest gains on the largest δ. Pairs without a document among the first `depth` ranks are left out.
    """

    def __init__(
        self,
        data: Queries,
        gain: Floats,
        discount: Floats,
        kind: NDArray[np.int64],
        *,
        depth: int,
        sigma: float = 1.0,
        norm: bool = True,
        workers: int = 1,
    ) -> None:
        from dissensus.engine.learning import lambdas as kernel

        self._kernel = kernel.lambdas
        self._table = kernel.logistic_table()
        self._gain = np.ascontiguousarray(gain, np.float64)
        self._bounds = data.bounds
        self._discount = np.ascontiguousarray(discount, np.float64)
        self._kind = kind
        self._depth, self._sigma, self._norm = depth, float(sigma), norm
        ideal = ideals(self._gain, data.bounds, self._discount, kind, depth)
        self._inverse = np.divide(1.0, ideal, out=np.zeros_like(ideal), where=ideal > 0)
        self._order = np.arange(len(gain))
        self._spare = np.empty_like(self._order)
        cuts = np.searchsorted(data.bounds, np.linspace(0, len(gain), max(workers, 1) + 1))
        cuts[0], cuts[-1] = 0, len(data.bounds) - 1
        self._parts = [(int(a), int(b)) for a, b in itertools.pairwise(cuts) if b > a]

    def __call__(self, scores: Floats, _: object = None) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        grad, hess = np.empty(len(scores), np.float32), np.empty(len(scores), np.float32)
        score = np.ascontiguousarray(scores, np.float64)

        def work(part: tuple[int, int]) -> None:
            self._kernel(
                score,
                self._gain,
                self._bounds,
                *part,
                self._kind,
                self._discount,
                self._inverse,
                self._depth,
                self._sigma,
                self._norm,
                self._table,
                self._order,
                self._spare,
                grad,
                hess,
            )

        on_threads(work, self._parts, len(self._parts))
        return grad, hess


def ideals(gain: Floats, bounds: NDArray[np.int64], discount: Floats, kind: NDArray[np.int64], depth: int) -> Floats:
    """Σ gain·δ of the best ordering of each query within `depth` ranks: largest gains on the largest δ."""
    out = np.empty(len(bounds) - 1)
    for q, (a, b) in enumerate(itertools.pairwise(bounds)):
        best = np.sort(gain[a:b])[::-1][:depth]
        delta = np.sort(discount[kind[q], : min(depth, int(b - a))])[::-1]
        n = min(len(best), len(delta))
        out[q] = best[:n] @ delta[:n]
    return out
