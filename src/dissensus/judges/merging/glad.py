"""GLAD: assessors have skills, documents have difficulties (Whitehill, Wu, Ruvolo, Bergsma & Movellan 2009).

    P(label = truth) = σ(α_k e^{b_i}),   wrong labels spread evenly over the other grades

α_k is the assessor's skill (below zero: adversarial), e^{b_i} how easy the document is; both have N(1, 1) priors. EM:
posteriors by Bayes' rule, then a few steps of L-BFGS on α and b. For crowds where some documents are hard for
everyone; with three labels per document difficulty is hardly identified, and the prior speaks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.judges.label_table import Labels
from dissensus.judges.merging.fit import Fit, log_shares, normalised, vote_sums

Floats = NDArray[np.float64]
STEPS = 8  # of L-BFGS in each M step
ROUNDS = 30  # difficulties creep on for hundreds of rounds without moving labels


def fit(table: Labels, start: Floats, *, tol: float = 1e-3, max_rounds: int = ROUNDS) -> Fit:
    """EM from posteriors `start`; `skill` is α."""
    from scipy.optimize import minimize

    k, n, items, item, who = table.n_levels, table.n_assessors, table.n_items, table.item, table.assessor
    level = table.level.astype(np.int64)
    labelled = np.bincount(item, minlength=items) > 0
    cell = item.astype(np.int64) * k + level
    parameters = np.ones(n + items)
    posterior, change, rounds = start.copy(), np.inf, 0
    prior = log_shares(start[labelled])
    while rounds < min(max_rounds, ROUNDS) and change > tol:
        right = posterior[item, level]

        def loss(parameters: Floats, right: Floats = right) -> tuple[float, Floats]:
            skill, ease = parameters[:n], np.exp(np.clip(parameters[n:], -10, 10))
            z = skill[who] * ease[item]
            soft = np.logaddexp(0, z)
            value = float(soft.sum() - right @ z + (1 - right).sum() * np.log(max(k - 1, 1)))
            slope = np.exp(z - soft) - right
            by_skill = np.bincount(who, slope * ease[item], n) + parameters[:n] - 1
            by_ease = np.bincount(item, slope * z, items) + parameters[n:] - 1
            return value + 0.5 * float(((parameters - 1) ** 2).sum()), np.r_[by_skill, by_ease]

        parameters = minimize(loss, parameters, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
        z = parameters[:n][who] * np.exp(np.clip(parameters[n:], -10, 10))[item]
        gain = z + np.log(max(k - 1, 1))  # log of right over one particular wrong grade
        new, _ = normalised(vote_sums(cell, gain, items, k) + prior)
        new[~labelled] = 0
        change = float(np.abs(new - posterior).max(initial=0))
        posterior = new
        rounds += 1
    number = np.bincount(who, minlength=n)
    return Fit(
        posterior, skill=np.where(number > 0, parameters[:n], np.nan), change=change, converged=change <= tol,
        rounds=rounds,
    )  # fmt: skip
