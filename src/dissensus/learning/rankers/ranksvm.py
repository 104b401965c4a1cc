"""RankSVM: a linear ranker with the largest margin between documents of different labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dissensus.arrays import Floats
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.linear import LinearRanker
from dissensus.learning.rankers.ranker import MEASURE, positive


@dataclass(eq=False, repr=False)
class RankSVM(LinearRanker):
    """min ½‖w‖² + C · mean over pairs of max(0, 1 − w·(z_i − z_j))², pairs of one query with y_i > y_j.

    The squared hinge over all pairs and its gradient come from order statistics (documents sorted by score, a Fenwick
    tree over labels), O(n log n) per query, as in Lee & Lin, "Large-scale linear RankSVM", Neural Computation 26
    (2014); the problem is Joachims' (KDD 2002). Convex: L-BFGS finds the one solution whatever the seed.

    >>> import numpy as np
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> np.argsort(-RankSVM().fit(X, [0, 0, 1, 2], group=[4]).predict(X)).tolist()
    [3, 2, 1, 0]

    Queries with many documents have most of the pairs, and the loudest voice: mean over pairs, not over queries.
    """

    C: float = 1.0
    rounds: int = 500
    measure: str = MEASURE
    patience: int = 20
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "C")
        positive(self, "rounds", "patience", whole=True)

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        X = self._standardise(data)
        pairs = data.pairs()
        loss = HingeLoss(data)
        strength = self.C / pairs

        def objective(w: Floats) -> tuple[float, Floats]:
            value, by_document = loss(X @ w)
            return 0.5 * float(w @ w) + strength * value, w + strength * (X.T @ by_document)

        watch = self._watch(validation, self.measure, self.patience)
        self._descend(objective, X.shape[1], rounds=self.rounds, watch=watch, validation=validation, label=label)


class HingeLoss:
    """Squared hinge over all pairs as a function of the documents' scores: (loss, gradient by document)."""

    def __init__(self, data: Queries) -> None:
        from dissensus.engine.learning.pairwise_hinge import squared_hinge

        self._kernel = squared_hinge
        self._bounds = data.bounds
        self._query = data.query
        level = np.empty(len(data.y), np.int64)
        for a, b in zip(data.bounds[:-1], data.bounds[1:], strict=True):
            level[a:b] = np.unique(data.y[a:b], return_inverse=True)[1] + 1
        self._level = level

    def __call__(self, score: Floats) -> tuple[float, Floats]:
        gradient = np.empty_like(score)
        order = np.lexsort((score, self._query))
        return float(self._kernel(score, self._level, order, self._bounds, gradient)), gradient
