"""Early stopping: keep the best model seen on validation data, and stop when it has not improved for a while."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dissensus.learning.scoring import QueryScorer


class Watch:
    """`see(round, predictions, model)` returns True when it is time to stop; `best` is then the model to keep."""

    def __init__(self, scorer: QueryScorer, patience: int) -> None:
        self.scorer = scorer
        self.patience = patience
        self.best: Any = None
        self.best_score = float("-inf")
        self.best_round = 0
        self.history: list[float] = []

    def see(self, predictions: NDArray[np.float64], model: Callable[[], Any]) -> bool:
        """One more round is over; `model()` makes the copy to keep if it is the best so far."""
        score = self.scorer(predictions)
        self.history.append(score)
        if score > self.best_score or self.best is None:
            self.best, self.best_score, self.best_round = model(), score, len(self.history)
        return len(self.history) - self.best_round >= self.patience
