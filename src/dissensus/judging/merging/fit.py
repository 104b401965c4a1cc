"""What a way of merging finds (posteriors, and one number per assessor where the model has one), and the sums that all
of them are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats


@dataclass(frozen=True, eq=False)
class Fit:
    """Posterior items × levels (zeros where a document has no label); `skill` is one number per assessor.

    `counts` (assessor × true × given, expected) and `prior` (group × level) are there where the model estimates whole
    confusion matrices; `log_likelihood` is per round, empty for methods without a likelihood. `anchored`: it stopped
    where the next round would have made a grade another one.
    """

    posterior: Floats
    counts: Floats | None = None
    prior: Floats | None = None
    skill: Floats | None = None
    log_likelihood: tuple[float, ...] = ()
    change: float = 0.0
    converged: bool = True
    rounds: int = 0
    anchored: bool = False


def normalised(log_weight: Floats) -> tuple[Floats, Floats]:
    """(rows of probabilities from logarithms of weights, the logarithm of each row's sum).

    >>> normalised(np.log([[1.0, 3.0]]))[0].round(2).tolist()
    [[0.25, 0.75]]
    """
    # column by column: numpy is slow along a short last axis
    columns = range(1, log_weight.shape[1])
    top = log_weight[:, 0].copy()
    for c in columns:
        np.maximum(top, log_weight[:, c], out=top)
    weight = np.exp(log_weight - top[:, None])
    total = weight[:, 0].copy()
    for c in columns:
        total += weight[:, c]
    return weight / total[:, None], top + np.log(total)


def log_shares(start: Floats) -> Floats:
    """Logarithm of the mean of posteriors, kept above zero: a prior that stays where the votes put it.

    Estimated along with bad assessors a prior can run to one grade and take every label with it; fixed, it cannot.
    """
    prior = start.mean(axis=0) + 1e-3
    return np.asarray(np.log(prior / prior.sum()), np.float64)


def vote_sums(cell: NDArray[np.integer], gain: Floats, n_items: int, k: int) -> Floats:
    """Items × levels: the sum of what each label adds to its own level; `cell` is item · k + level."""
    return np.bincount(cell, gain, n_items * k).reshape(n_items, k).astype(np.float64)


def item_sums(item: NDArray[np.integer], values: Floats, n_items: int) -> Floats:
    """Sum the rows of `values` (labels × levels) within each item."""
    columns = [np.bincount(item, values[:, c], n_items) for c in range(values.shape[1])]
    return np.stack(columns, axis=1).astype(np.float64)
