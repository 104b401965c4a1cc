"""MACE: a spammer with a habit has no skill, and the labels follow the honest."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good

from dissensus.judging.label_table import labels
from dissensus.judging.merging import mace

HABIT = np.tile([0.0, 0.0, 1.0], (3, 1))  # always the top grade


def test_spammers_are_told_from_the_honest() -> None:
    truth = np.random.default_rng(0).choice(3, 200, p=[0.6, 0.3, 0.1])
    judgments = crowd(truth, [good(3, 0.9)] * 4 + [HABIT] * 2, None, seed=1)
    table = labels(judgments)
    found = mace.fit(table, table.shares())
    assert found.skill is not None
    assert found.converged
    assert found.skill[:4].min() > 0.7 > 0.3 > found.skill[4:].max()
    [int(d[1:]) for d in judgments.doc_ids()]
    assert found.posterior.sum(axis=1) == pytest.approx(np.ones(200))


def test_one_round_by_hand() -> None:
    """Two assessors agree on both documents: θ, habits and posteriors from the formulas, in plain numbers."""
    from scipy.special import digamma

    table = labels(crowd(np.array([0, 1]), [good(2, 1.0)] * 2, None, seed=1))
    found = mace.fit(table, table.shares(), tol=0, max_rounds=1)
    theta = np.exp(digamma(2.5) - digamma(3.0))  # two labels, both right at the start
    spam = np.exp(digamma(0.5) - digamma(3.0))
    habit = np.exp(digamma(5.0) - digamma(10.0))
    odds = (1 + theta / (spam * habit)) ** 2  # two labels for, none against
    assert found.posterior[0, 0] == pytest.approx(odds / (odds + 1))
    right = found.posterior[0, 0] * theta / (theta + spam * habit)
    assert found.skill == pytest.approx([(2 * right + 0.5) / 3] * 2)
