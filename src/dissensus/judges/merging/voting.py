"""Majority vote: the grade most assessors gave; ties by a seeded coin, or to the lower or the higher grade."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.judges.label_table import Labels
from dissensus.work.seeds import generator

Floats = NDArray[np.float64]
Ties = Literal["coin", "lower", "higher"]


def vote_shares(table: Labels) -> Floats:
    """Share of each level among a document's labels, items × levels; zeros where there is no label.

    Repeated judgments of one assessor are no further votes: give it `labels(...).first()`.
    """
    k = table.n_levels
    flat = np.bincount(table.item.astype(np.int64) * k + table.level, minlength=table.n_items * k)
    count = flat.reshape(table.n_items, k).astype(np.float64)
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
