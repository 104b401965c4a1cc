"""The ways of merging by name, each a function from labels to posteriors: votes here, models in files of their own.

A vote takes the grade most assessors gave; ties go by a seeded coin, or to the lower or the higher grade.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Values
from dissensus.errors import InputError, Option, Text
from dissensus.judging.agreement.flags import Looks, assessor_frame, suspects
from dissensus.judging.label_table import Labels
from dissensus.judging.merging import em, glad, kos, one_coin, ordinal_em
from dissensus.judging.merging.fit import Fit
from dissensus.tables.judgments import Judgments
from dissensus.work.seeds import generator

Ties = Literal["coin", "lower", "higher"]
Start = Literal["majority", "shares", "neutral"]
STARTS: dict[str, Start] = {"em-mv": "majority", "em-neu": "neutral", "em-anchored": "majority"}
VOTES = ("majority", "wawa")  # their shares are votes, not probabilities
MODELS = ("one-coin", "mace", "glad", "kos", "em-mv", "em-neu", "em-anchored", "ordinal")
METHODS = (*VOTES, *MODELS)


@dataclass(frozen=True)
class MethodSettings:
    """How EM and its relatives are run; see `merge`."""

    per_topic: bool = False
    ties: Ties = "coin"
    seed: int = 0
    tol: float = 1e-3
    max_rounds: int = 1000
    smoothing: float = 0.01
    start: Start | None = None


def fit_method(
    name: str,
    judgments: Judgments,
    table: Labels,
    settings: MethodSettings,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Posteriors of a named method. Models take an assessor's repeated labels as evidence, votes count the first."""
    if settings.per_topic and name not in (*VOTES, "em-mv", "em-neu"):
        raise InputError(
            Text(Option("per_topic", True), " is for ", Option("method", "em-mv"), " and ", Option("method", "em-neu"),
                 f", not for {name}."),
        )  # fmt: skip
    if name in STARTS:
        anchor = _anchor(judgments, table) if name == "em-anchored" else None
        data, first = begin(judgments, table, name, settings)
        return em.fit(
            data, first, smoothing=settings.smoothing, tol=settings.tol, max_rounds=settings.max_rounds,
            anchor=anchor, progress=progress,
        )  # fmt: skip
    votes = table.first()
    shares = votes.shares()
    if name == "majority":
        return Fit(shares)
    if name == "wawa":
        return wawa(votes, choose(shares, settings.ties, settings.seed)[0])
    stops: Values = {"tol": settings.tol, "max_rounds": settings.max_rounds}
    match name:
        case "one-coin":
            return one_coin.fit(table, shares, smoothing=settings.smoothing, **stops)
        case "mace":
            from dissensus.judging.merging import mace

            return mace.fit(table, shares, **stops)
        case "glad":
            return glad.fit(table, shares, **stops)
        case "ordinal":
            return ordinal_em.fit(table, shares, **stops)
        case _:
            return kos.fit(table, seed=settings.seed)


def _anchor(judgments: Judgments, table: Labels) -> NDArray[np.bool_]:
    """The assessors that must be right more often than wrong: whoever gives one grade to everything tells no grades."""
    lazy = {name for name, looks in suspects(table, judgments.assessors).items() if looks == "lazy"}
    return np.array([name not in lazy for name in judgments.assessors], bool)


def begin(judgments: Judgments, table: Labels, name: str, settings: MethodSettings) -> tuple[em.Sparse, Floats | None]:
    """(labels as EM wants them, posteriors to start from or None for neutral judges)."""
    if settings.per_topic:  # an assessor in another topic is another judge, and topics have their own priors
        judge = np.unique(topic_judge(judgments, table), return_inverse=True)[1]
        data = em.Sparse.of(table, judge, int(judge.max()) + 1, judgments.item_topic)
    else:
        data = em.Sparse.of(table, table.assessor, table.n_assessors, np.zeros(table.n_items, np.int32))
    start = settings.start or STARTS[name]
    if start == "neutral":
        return data, None
    shares = table.first().shares()
    if start == "shares":
        return data, shares
    return data, certain(choose(shares, settings.ties, settings.seed)[0], table.n_levels)


def certain(level: NDArray[np.int64], k: int) -> Floats:
    """Posteriors of 0 and 1 for these levels, nothing where the level is −1."""
    return np.asarray(level[:, None] == np.arange(k), np.float64)


def topic_judge(judgments: Judgments, table: Labels) -> NDArray[np.int64]:
    """A number for every assessor in every topic, per label."""
    topic = judgments.item_topic[table.item].astype(np.int64)
    return np.asarray(topic * table.n_assessors + table.assessor, np.int64)


# ── votes ──
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
    """Worker agreement with aggregate: a majority vote in which each assessor weighs as much as it agrees (Appen).

        weight_k = share of k's labels that equal the majority's;    score_d(g) ∝ Σ_k weight_k · 1[k gave d the grade g]

    `level` is the majority's level of each item (−1 where there is none). It down-weights random assessors and never
    turns a vote around. The shares of weight are no probabilities.
    """
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
        shares[silent] = table.shares()[silent]
    return shares


def vote_weights(table: Labels, names: tuple[str, ...], who: dict[str, Looks]) -> NDArray[np.float64]:
    """One vote for everyone, max(κ, 0) of a vote for suspects `who`, κ their agreement with the others."""
    frame = assessor_frame(table.first(), names)
    kappa = np.nan_to_num(frame["kappa"].to_numpy())
    return np.where([n in who for n in names], np.maximum(kappa, 0.0), 1.0)
