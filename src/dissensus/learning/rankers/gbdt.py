"""GBDT: boosted regression trees on the grades."""

from __future__ import annotations

from typing import Any

from dissensus.learning.queries import Queries
from dissensus.learning.rankers.boosted import BoostedRanker


class GBDT(BoostedRanker):
    """Trees fitted to the residuals of the labels, squared loss (Friedman, Annals of Statistics 2001), by LightGBM.

    Pointwise: each document's label is predicted on its own. Labels may be fractions of grades.

    >>> import numpy as np
    >>> X = np.repeat(np.arange(4.0), 20)[:, None]
    >>> ranker = GBDT(trees=20, workers=1).fit(X, np.repeat([0, 0, 1, 2], 20), group=[80])
    >>> ranker.predict([[0.0], [3.0]]).argmax()
    np.int64(1)

    Not when grades mean different things in different queries: a hard query's best document is then predicted low.
    """

    soft_labels = True
    pointwise = True

    def _objective(self, data: Queries) -> Any:
        return "regression"
