"""GLAD: assessors have skills, documents have difficulties (Whitehill, Wu, Ruvolo, Bergsma & Movellan 2009).

    P(label = truth) = σ(α_k e^{b_i}),   wrong labels spread evenly over the other grades

α_k is the assessor's skill (below zero: adversarial), e^{b_i} how easy the document is; both have N(1, 1) priors. EM:
posteriors by Bayes' rule, then conditional maximisation (Meng & Rubin 1993), twice over: a Newton step for every α
given b (logistic regression on one variable), and one for every b given α. For crowds where some documents are hard for
everyone; with three labels per document difficulty is hardly identified, and the prior speaks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit, log_shares, normalised, vote_sums

Codes = NDArray[np.integer]
SWEEPS = 2  # over skills, then difficulties, in each M step
LONGEST = 0.5  # Newton's step from far away would overshoot; steps up to here have never raised the loss
ROUNDS = 30  # difficulties may creep on without moving labels


def fit(table: Labels, start: Floats, *, tol: float = 1e-3, max_rounds: int = ROUNDS) -> Fit:
    """EM from posteriors `start`; `skill` is α."""
    k, n, items = table.n_levels, table.n_assessors, table.n_items
    item, who, level = (codes.astype(np.intp) for codes in (table.item, table.assessor, table.level))
    labelled = np.bincount(item, minlength=items) > 0
    cell = item * k + level
    skill, log_ease = np.ones(n), np.ones(items)
    posterior, change, rounds = start.copy(), np.inf, 0
    prior = log_shares(start[labelled])
    while rounds < min(max_rounds, ROUNDS) and change > tol:
        skill, log_ease = sweep(item, who, posterior.ravel()[cell], skill, log_ease)
        gain = skill[who] * np.exp(log_ease)[item] + np.log(max(k - 1, 1))  # log of right over one wrong grade
        new, _ = normalised(vote_sums(cell, gain, items, k) + prior)
        new[~labelled] = 0
        change = float(np.abs(new - posterior).max(initial=0))
        posterior = new
        rounds += 1
    number = np.bincount(who, minlength=n)
    return Fit(
        posterior, skill=np.where(number > 0, skill, np.nan), change=change, converged=change <= tol, rounds=rounds
    )


def sweep(item: Codes, who: Codes, right: Floats, skill: Floats, log_ease: Floats) -> tuple[Floats, Floats]:
    """The M step: skills and difficulties that explain better which labels are `right` (a probability of each).

    With z = α e^b the loss is Σ log(1 + e^z) − right·z + ½Σ(α − 1)² + ½Σ(b − 1)². Its second derivative by α is above
    zero; by b it has the term (σ(z) − right)·z, which counts where it is above zero.
    """
    for _ in range(SWEEPS):
        ease = np.exp(log_ease)[item]
        chance = sigmoid(skill[who] * ease)
        slope = np.bincount(who, (chance - right) * ease, len(skill)) + skill - 1
        curve = np.bincount(who, chance * (1 - chance) * ease**2, len(skill)) + 1
        skill = skill - np.clip(slope / curve, -LONGEST, LONGEST)
        z = skill[who] * ease
        chance = sigmoid(z)
        gradient = (chance - right) * z
        slope = np.bincount(item, gradient, len(log_ease)) + log_ease - 1
        curve = np.bincount(item, chance * (1 - chance) * z**2 + np.maximum(gradient, 0), len(log_ease)) + 1
        log_ease = log_ease - np.clip(slope / curve, -LONGEST, LONGEST)
    return skill, log_ease


def sigmoid(z: Floats) -> Floats:
    """1 / (1 + e⁻ᶻ), by tanh, which does not overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(0.5 * z), np.float64)
