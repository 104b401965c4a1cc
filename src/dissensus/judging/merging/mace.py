"""MACE: each assessor tells the truth with probability θ_k, and otherwise gives a label of its own habit ξ_k.

    P(label h | truth g) = θ_k 1[h = g] + (1 − θ_k) ξ_k(h)

Hovy, Berg-Kirkpatrick, Vaswani & Hovy 2013. Fitted by variational Bayes with Beta(½, ½) on θ and Dirichlet(10/K) on ξ,
from the majority's vote shares instead of random restarts, so that one input gives one result. Good against spammers
with a habit; it cannot describe an assessor who confuses two particular grades.
"""

from __future__ import annotations

import numpy as np
from scipy.special import digamma

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit, log_shares, normalised, vote_sums

HONEST, HABIT = 0.5, 10.0


def fit(table: Labels, start: Floats, *, tol: float = 1e-3, max_rounds: int = 1000) -> Fit:
    """Variational Bayes from posteriors `start`; `skill` is the expected θ of each assessor."""
    k, n, item, who = table.n_levels, table.n_assessors, table.item, table.assessor
    level = table.level.astype(np.int64)
    labelled = table.per_item() > 0
    number = np.bincount(who, minlength=n)
    cell = item.astype(np.int64) * k + level
    code = who.astype(np.int64) * k + level  # what a label adds depends on who gave it and on its level alone
    prior = log_shares(start[labelled])
    posterior, change, rounds = start.copy(), np.inf, 0
    honest = np.bincount(who, posterior.ravel()[cell], n)  # expected labels given because they are true
    habits = (number[:, None] - honest[:, None]) / k * np.ones(k)
    given = np.bincount(code, minlength=n * k).reshape(n, k)
    both = digamma(number + 2 * HONEST)
    while rounds < max_rounds and change > tol:
        theta = np.exp(digamma(honest + HONEST) - both)[:, None]
        spam = np.exp(digamma(number - honest + HONEST) - both)[:, None]
        habit = np.exp(digamma(habits + HABIT / k) - digamma(habits.sum(axis=1, keepdims=True) + HABIT))
        by_habit = spam * habit
        gain = np.log1p(theta / np.maximum(by_habit, 1e-300)).ravel()
        new, _ = normalised(vote_sums(cell, gain[code], table.n_items, k) + prior)
        new[~labelled] = 0
        change = float(np.abs(new - posterior).max(initial=0))
        posterior = new
        truthful = np.bincount(code, posterior.ravel()[cell], n * k).reshape(n, k) * theta / (theta + by_habit)
        honest = truthful.sum(axis=1)
        habits = np.asarray(given - truthful, np.float64)
        rounds += 1
    skill = np.where(number > 0, (honest + HONEST) / (number + 2 * HONEST), np.nan)
    return Fit(posterior, skill=skill, change=change, converged=change <= tol, rounds=rounds)
