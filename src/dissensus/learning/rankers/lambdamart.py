"""LambdaMART: boosted trees that follow the pairs whose swap changes nDCG most."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.errors import InputError
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.boosted import GAINS, BoostedRanker
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.measures.linear import log_discount
from dissensus.work.threads import on_threads


class LambdaMART(BoostedRanker):
    """λ_ij = |ΔnDCG_ij|·σ/(1 + exp(σ(s_i − s_j))) summed over pairs, trees by LightGBM (Burges 2010).

    The objective is our own, because LightGBM's takes whole grades only: here a label may be any number, a posterior
    mean or a user-disagreement weight, with `gains="exp"` (2^label − 1) or `gains="linear"` (the label itself). On
    whole grades it does what LightGBM's `lambdarank` does, with the same defaults (`depth` is its truncation level).

    >>> import numpy as np
    >>> X = np.tile(np.arange(4.0), 20)[:, None]
    >>> ranker = LambdaMART(trees=10, workers=1).fit(X, np.tile([0, 0.2, 1, 2.5], 20), group=[4] * 20)
    >>> ranker.predict([[0.0], [3.0]]).argmax()
    np.int64(1)

    Needs data: with fewer than some hundred queries a linear ranker is often as good.
    """

    soft_labels = True

    def __init__(
        self,
        trees: int = 300,
        learning_rate: float = 0.05,
        leaves: int = 31,
        min_documents: int = 20,
        gains: str = "exp",
        depth: int = 30,
        sigma: float = 1.0,
        norm: bool = True,
        measure: str = MEASURE,
        patience: int = 50,
        workers: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(trees, learning_rate, leaves, min_documents, measure, patience, workers, seed)
        self.gains = gains
        self.depth = depth
        self.sigma = sigma
        self.norm = norm

    def _check_parameters(self) -> None:
        super()._check_parameters()
        positive(self, "depth", whole=True)
        positive(self, "sigma")
        if self.gains not in GAINS:
            raise InputError(f'{type(self).__name__}(gains={self.gains!r}): gains are "exp" or "linear".')

    def _objective(self, data: Queries) -> object:
        one_kind = np.zeros(len(data.bounds) - 1, np.int64)
        return self._lambdas(data, log_discount(int(data.group.max()))[None, :], one_kind, self.depth)

    def _lambdas(
        self, data: Queries, discount: NDArray[np.float64], kind: NDArray[np.int64], depth: int
    ) -> LambdaObjective:
        """The objective for a discount per kind of query, and the kind of each query."""
        gain = GAINS[self.gains](data.y)
        workers = self._threads(data.X)
        return LambdaObjective(
            data, gain, discount, kind, depth=depth, sigma=self.sigma, norm=self.norm, workers=workers
        )


# ── what LightGBM trains on ──────────────────────────────────────────────────────────────────────────────────────────
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
