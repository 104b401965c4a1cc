"""LambdaMART: boosted trees that follow the pairs whose swap changes nDCG most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.learning.objectives import LambdaObjective
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.boosted import GAINS, BoostedRanker
from dissensus.learning.rankers.ranker import MEASURE, positive
from dissensus.measures.linear import log_discount


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
