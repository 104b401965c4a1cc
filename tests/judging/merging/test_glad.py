"""GLAD: skills in order, contrary assessors below zero, easy documents surer than hard ones."""

from __future__ import annotations

import numpy as np
import pytest
from crowds import crowd, good
from scipy.optimize import minimize

from dissensus.judging.label_table import labels
from dissensus.judging.merging import glad


def test_skills_and_probabilities() -> None:
    truth = np.random.default_rng(0).integers(0, 2, 150)
    table = labels(crowd(truth, [good(2, a) for a in (0.95, 0.8, 0.7, 0.5, 0.1)], None, seed=1))
    found = glad.fit(table, table.shares())
    assert found.skill is not None
    assert (np.diff(found.skill) < 0).all()
    assert found.skill[4] < 0  # contrary
    assert found.posterior.sum(axis=1) == pytest.approx(np.ones(150))


def test_equal_skill_and_ease_are_a_vote() -> None:
    """One label a document and one assessor: by symmetry the label itself, surer than the prior alone."""
    table = labels(crowd(np.arange(10) % 2, [good(2, 1.0)], None, seed=1))
    found = glad.fit(table, table.shares())
    given = table.level[np.argsort(table.item)]
    assert found.posterior.argmax(axis=1).tolist() == given.tolist()
    assert (found.posterior.max(axis=1) > 0.5).all()
    assert found.rounds <= glad.ROUNDS


def loss(parameters: np.ndarray, item: np.ndarray, who: np.ndarray, right: np.ndarray, n: int) -> float:
    z = parameters[:n][who] * np.exp(parameters[n:])[item]
    return float((np.logaddexp(0, z) - right * z).sum() + 0.5 * ((parameters - 1) ** 2).sum())


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_go_down_to_what_scipy_finds(seed: int) -> None:
    """The M step beside a general optimiser on the same loss: from the same start to the same place, never up."""
    rng = np.random.default_rng(seed)
    items, n = 40, 6
    item, who = (a.ravel() for a in np.meshgrid(np.arange(items), np.arange(n), indexing="ij"))
    right = rng.beta(0.5, 0.5, len(item))
    skill, log_ease = np.ones(n), np.ones(items)
    before = np.inf
    for _ in range(200):
        here = loss(np.r_[skill, log_ease], item, who, right, n)
        assert here <= before + 1e-9
        before = here
        skill, log_ease = glad.sweep(item, who, right, skill, log_ease)
    theirs = minimize(loss, np.ones(n + items), args=(item, who, right, n), options={"gtol": 1e-7})
    assert before == pytest.approx(theirs.fun, rel=1e-6)
    assert np.r_[skill, log_ease] == pytest.approx(theirs.x, abs=1e-3)


def test_it_converges_on_labels_that_agree_for_the_most_part() -> None:
    truth = np.random.default_rng(3).integers(0, 3, 300)
    table = labels(crowd(truth, [good(3, a) for a in (0.9, 0.85, 0.8, 0.75, 0.6)], None, seed=4))
    assert glad.fit(table, table.shares()).converged


def test_no_step_overflows() -> None:
    z = np.array([-1e4, 0.0, 1e4])
    assert glad.sigmoid(z).tolist() == [0.0, 0.5, 1.0]
