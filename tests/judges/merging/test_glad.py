"""GLAD: skills in order, contrary assessors below zero, easy documents surer than hard ones."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good

from dissensus.judges.label_table import labels
from dissensus.judges.merging import glad
from dissensus.judges.merging.voting import vote_shares


def test_skills_and_probabilities() -> None:
    truth = np.random.default_rng(0).integers(0, 2, 150)
    table = labels(crowd(truth, [good(2, a) for a in (0.95, 0.8, 0.7, 0.5, 0.1)], None, seed=1))
    found = glad.fit(table, vote_shares(table))
    assert found.skill is not None
    assert (np.diff(found.skill) < 0).all()
    assert found.skill[4] < 0  # contrary
    assert found.posterior.sum(axis=1) == pytest.approx(np.ones(150))


def test_equal_skill_and_ease_are_a_vote() -> None:
    """One label a document and one assessor: by symmetry the label itself, surer than the prior alone."""
    table = labels(crowd(np.arange(10) % 2, [good(2, 1.0)], None, seed=1))
    found = glad.fit(table, vote_shares(table))
    given = table.level[np.argsort(table.item)]
    assert found.posterior.argmax(axis=1).tolist() == given.tolist()
    assert (found.posterior.max(axis=1) > 0.5).all()
    assert found.rounds <= glad.ROUNDS
