"""KOS: message passing between documents and assessors, for two grades (Karger, Oh & Shah 2014).

With labels A = ±1, messages x_{i→j} = Σ_{j'≠j} A_ij' y_{j'→i} and y_{j→i} = Σ_{i'≠i} A_i'j x_{i'→j} are exchanged; a
document's label is the sign of Σ_j A_ij y_{j→i}. Messages start near 1 (every assessor believed), drawn with the seed,
and are scaled in every round. It gives labels, not probabilities: its posteriors are 0 and 1.

It was designed for random assignment of documents to assessors; where a few assessors have most labels it can settle
on a group of them and be no better than chance.
"""

from __future__ import annotations

import numpy as np

from dissensus.errors import InputError
from dissensus.judging.label_table import Labels
from dissensus.judging.merging.fit import Fit
from dissensus.work.seeds import generator

ROUNDS = 100


def fit(table: Labels, *, seed: int = 0, max_rounds: int = ROUNDS, tol: float = 1e-6) -> Fit:
    """Labels by message passing; `skill` is each assessor's mean message, above zero where it is believed."""
    if table.n_levels != 2:
        raise InputError(
            f'method="kos" is for two grades; these labels have {table.n_levels}.',
            "Cut the grades in two first, or use another method.",
        )
    item, who = table.item, table.assessor
    sign = 2.0 * table.level - 1.0
    y = generator(seed).normal(1.0, 1.0, len(item))
    x = np.zeros(len(item))
    change, rounds = np.inf, 0
    while rounds < max_rounds and change > tol:
        given = sign * y
        x = np.bincount(item, given, table.n_items)[item] - given
        heard = sign * x
        new = np.bincount(who, heard, table.n_assessors)[who] - heard
        size = float(np.sqrt((new**2).mean()))
        new = new / size if size > 0 else new
        change = float(np.abs(new - y).max(initial=0))
        y = new
        rounds += 1
    total = np.bincount(item, sign * y, table.n_items)
    shares = table.shares()
    decided = np.stack([total < 0, total > 0], axis=1).astype(np.float64)
    posterior = np.where((total != 0)[:, None], decided, shares)  # no message either way: the vote decides
    posterior[shares.sum(axis=1) == 0] = 0
    number = np.bincount(who, minlength=table.n_assessors)
    skill = np.divide(
        np.bincount(who, y, table.n_assessors), number, out=np.full(len(number), np.nan), where=number > 0
    )
    return Fit(posterior, skill=skill, change=change, converged=True, rounds=rounds)
