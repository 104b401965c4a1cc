"""ListNet: a linear ranker that matches the probability of each document to come first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.learning.queries import Queries
from dissensus.learning.rankers.linear import LinearRanker
from dissensus.learning.rankers.ranker import MEASURE, positive


@dataclass(eq=False, repr=False)
class ListNet(LinearRanker):
    """min λ/2·‖w‖² + mean over queries of −Σ_i P_y(i)·log P_s(i), P(i) = exp(v_i) / Σ_j exp(v_j)  (top one).

    P_y comes from the labels, P_s from the scores s = w·z (Cao, Qin, Liu, Tsai & Li, ICML 2007). With a linear score
    the cross entropy is convex, so L-BFGS takes the place of the paper's gradient descent and finds the one solution
    whatever the seed. Labels may be fractions of grades.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> np.argsort(-ListNet().fit(X, [0, 0, 1, 2], group=[4]).predict(X)).tolist()
    [3, 2, 1, 0]

    Every query has the same voice, and each asks for a distribution: with few relevant among a thousand documents
    P_y is almost flat, and little is learned from it.
    """

    soft_labels = True

    l2: float = 0.01
    rounds: int = 500
    measure: str = MEASURE
    patience: int = 20
    seed: int = 0

    def _check_parameters(self) -> None:
        positive(self, "l2")
        positive(self, "rounds", "patience", whole=True)

    def _learn(self, data: Queries, validation: Queries | None, label: str | None) -> None:
        X = self._standardise(data)
        starts, query, n = data.bounds[:-1], data.query, len(data.bounds) - 1
        wanted, _ = softmax(data.y, starts, query)

        def objective(w: Floats) -> tuple[float, Floats]:
            score = X @ w
            share, log_sum = softmax(score, starts, query)
            value = float(log_sum.sum() - wanted @ score) / n
            return value + 0.5 * self.l2 * float(w @ w), X.T @ (share - wanted) / n + self.l2 * w

        watch = self._watch(validation, self.measure, self.patience)
        self._descend(objective, X.shape[1], rounds=self.rounds, watch=watch, validation=validation, label=label)


def softmax(value: Floats, starts: NDArray[np.int64], query: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """(exp(v) / Σ exp(v) within each query, log Σ exp(v) of each query), safe for large values."""
    top = np.maximum.reduceat(value, starts)
    power = np.exp(value - top[query])
    total = np.add.reduceat(power, starts)
    return power / total[query], np.log(total) + top
