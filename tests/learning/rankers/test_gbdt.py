"""GBDT: grades predicted document by document."""

from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from dissensus.errors import InputError
from dissensus.learning import GBDT

X = np.repeat(np.arange(4.0), 25)[:, None]
Y = np.repeat([0.0, 0.5, 2.0, 3.0], 25)


def test_predictions_are_the_mean_label_of_a_leaf():
    ranker = GBDT(trees=200, learning_rate=0.2, min_documents=5, workers=1).fit(X, Y, group=[100])
    assert ranker.predict(np.arange(4.0)[:, None]) == pytest.approx([0.0, 0.5, 2.0, 3.0], abs=0.01)


def test_queries_of_one_label_each_can_be_learned_from():
    """Pointwise: pairs within queries are not needed, but labels that differ are."""
    GBDT(trees=2, workers=1).fit(X, Y, group=[25] * 4)
    with refused(InputError, "GBDT"):
        GBDT(trees=2, workers=1).fit(X, np.ones(100), group=[25] * 4)
