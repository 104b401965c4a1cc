"""One-coin Dawid–Skene: each assessor is right with one probability, whatever the true grade.

    P(label h | truth g) = a_k if h = g, (1 − a_k)/(K − 1) otherwise

estimated by EM with a pseudo-count s for right and for wrong. One number per assessor instead of a matrix: for few
labels per assessor, or grades that no assessor confuses in a particular direction (Zhang, Chen, Zhou & Jordan 2016).
"""

from __future__ import annotations

import numpy as np

from dissensus.arrays import Floats
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit, log_shares, normalised, vote_sums

EDGE = 1e-6


def fit(table: Labels, start: Floats, *, smoothing: float = 0.01, tol: float = 1e-3, max_rounds: int = 1000) -> Fit:
    """EM from posteriors `start`; `skill` is each assessor's probability of being right."""
    k, item, who, level = table.n_levels, table.item, table.assessor, table.level.astype(np.int64)
    labelled = table.per_item() > 0
    number = np.bincount(who, minlength=table.n_assessors)
    cell = item.astype(np.int64) * k + level
    prior = log_shares(start[labelled])
    posterior, change = start.copy(), np.inf
    likelihoods: list[float] = []
    skill = np.empty(0)
    while len(likelihoods) < max_rounds and change > tol:
        right = np.bincount(who, posterior[item, level], table.n_assessors)
        skill = np.clip((right + smoothing) / (number + smoothing * k), EDGE, 1 - EDGE)
        # the log-odds of a right label; what all grades share cancels
        gain = np.log(skill * (k - 1) / (1 - skill)) if k > 1 else np.zeros(len(skill))
        shared = np.bincount(item, np.log((1 - skill) / max(k - 1, 1))[who], table.n_items)
        new, size = normalised(vote_sums(cell, gain[who], table.n_items, k) + prior)
        new[~labelled] = 0
        change = float(np.abs(new - posterior).max(initial=0))
        posterior = new
        likelihoods.append(float((size + shared)[labelled].sum()))
    return Fit(
        posterior, skill=np.where(number > 0, skill, np.nan), log_likelihood=tuple(likelihoods), change=change,
        converged=change <= tol, rounds=len(likelihoods),
    )  # fmt: skip
