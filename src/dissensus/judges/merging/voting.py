"""Votes: the grade most assessors gave; ties by a seeded coin, or to the lower or the higher grade.

Wawa, worker agreement with aggregate, is a majority vote in which each assessor weighs as much as it agrees:

    weight_k = share of k's labels that equal the majority's;    score_d(g) ∝ Σ_k weight_k · 1[k gave d the grade g]

(Appen's formula.) It down-weights random assessors and never turns a vote around. The shares of weight are no
probabilities.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.judges.agreement.flags import Looks, assessor_frame
from dissensus.judges.label_table import Labels
from dissensus.judges.merging.fit import Fit
from dissensus.work.seeds import generator

Floats = NDArray[np.float64]
Ties = Literal["coin", "lower", "higher"]


def vote_shares(table: Labels) -> Floats:
    """Share of each level among a document's labels, items × levels; zeros where there is no label.

    Repeated judgments of one assessor are no further votes: give it `labels(...).first()`.
    """
    count = table.counts().astype(np.float64)
    return np.asarray(count / np.maximum(count.sum(axis=1, keepdims=True), 1), np.float64)


def choose(posterior: Floats, ties: Ties = "coin", seed: int = 0) -> tuple[NDArray[np.int64], int]:
    """(most probable level of each row, number of ties); rows of zeros have level −1.

    >>> choose(np.array([[0.5, 0.5, 0.0], [0.2, 0.2, 0.6]]), "higher")
    (array([1, 2]), 1)
    """
    if ties not in ("coin", "lower", "higher"):
        raise InputError(Text(Option("ties", ties), ' is none of "coin", "lower", "higher".'))
    top = posterior.max(axis=1)
    best = posterior >= top[:, None] - 1e-12
    tied = (best.sum(axis=1) > 1) & (top > 0)
    level = posterior.shape[1] - 1 - best[:, ::-1].argmax(axis=1) if ties == "higher" else best.argmax(axis=1)
    if ties == "coin" and tied.any():
        draw = generator(seed).random(int(tied.sum()))
        place = np.cumsum(best[tied], axis=1)
        wanted = np.floor(draw * place[:, -1]).astype(np.int64) + 1  # the wanted-th of the tied levels
        level[tied] = (place >= wanted[:, None]).argmax(axis=1)
    return np.where(top > 0, level, -1), int(tied.sum())


def wawa(table: Labels, level: NDArray[np.int64]) -> Fit:
    """Weighted vote; `level` is the majority's level of each item (−1 where there is none)."""
    agrees = (level[table.item] == table.level).astype(np.float64)
    number = np.bincount(table.assessor, minlength=table.n_assessors)
    weight = np.bincount(table.assessor, agrees, table.n_assessors) / np.maximum(number, 1)
    return Fit(weighted_shares(table, weight), skill=np.where(number > 0, weight, np.nan))


def weighted_shares(table: Labels, weight: Floats) -> Floats:
    """Vote shares where assessor k has `weight[k]` votes; equal votes where all of a document's assessors weigh 0."""
    k = table.n_levels
    code = table.item.astype(np.int64) * k + table.level
    flat = np.bincount(code, weight[table.assessor], table.n_items * k).reshape(table.n_items, k)
    total = flat.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(flat, total, out=np.zeros_like(flat), where=total > 0)
    silent = (total[:, 0] <= 0) & (table.per_item() > 0)
    if silent.any():
        shares[silent] = vote_shares(table)[silent]
    return shares


def vote_weights(table: Labels, names: tuple[str, ...], who: dict[str, Looks]) -> NDArray[np.float64]:
    """One vote for everyone, max(κ, 0) of a vote for suspects `who`, κ their agreement with the others."""
    frame = assessor_frame(table.first(), names)
    kappa = np.nan_to_num(frame["kappa"].to_numpy())
    return np.where([n in who for n in names], np.maximum(kappa, 0.0), 1.0)
