"""The ways of merging by name, each a function from labels to posteriors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.judgments import Judgments
from dissensus.errors import InputError, Option, Text
from dissensus.judges.agreement.flags import suspects
from dissensus.judges.label_table import Labels
from dissensus.judges.merging import em
from dissensus.judges.merging.fit import Fit
from dissensus.judges.merging.voting import Ties, choose, vote_shares, wawa

Floats = NDArray[np.float64]
Start = Literal["majority", "shares", "neutral"]
STARTS: dict[str, Start] = {"em-mv": "majority", "em-neu": "neutral", "em-anchored": "majority"}
VOTES = ("majority", "wawa")  # their shares are votes, not probabilities
MODELS = ("one-coin", "mace", "glad", "kos", "em-mv", "em-neu", "em-anchored", "ordinal")
METHODS = (*VOTES, *MODELS)


@dataclass(frozen=True)
class Settings:
    """How EM and its relatives are run; see `merge`."""

    per_topic: bool = False
    ties: Ties = "coin"
    seed: int = 0
    tol: float = 1e-3
    max_rounds: int = 1000
    smoothing: float = 0.01
    start: Start | None = None
    threads: int | None = None


def fit_method(
    name: str,
    judgments: Judgments,
    table: Labels,
    settings: Settings,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Posteriors of a named method. Models take an assessor's repeated labels as evidence, votes count the first."""
    if name in STARTS:
        anchor = _anchor(judgments, table, settings) if name == "em-anchored" else None
        data, first = begin(judgments, table, name, settings)
        return em.fit(
            data, first, smoothing=settings.smoothing, tol=settings.tol, max_rounds=settings.max_rounds,
            threads=settings.threads, anchor=anchor, progress=progress,
        )  # fmt: skip
    votes = table.first()
    shares = vote_shares(votes)
    if name == "majority":
        return Fit(shares)
    if name == "wawa":
        return wawa(votes, choose(shares, settings.ties, settings.seed)[0])
    if settings.per_topic:
        raise InputError(
            Text(Option("per_topic", True), " is for ", Option("method", "em-mv"), " and ", Option("method", "em-neu"),
                 f", not for {name}."),
        )  # fmt: skip
    stops: dict[str, Any] = {"tol": settings.tol, "max_rounds": settings.max_rounds}
    match name:
        case "one-coin":
            from dissensus.judges.merging import one_coin

            return one_coin.fit(table, shares, smoothing=settings.smoothing, **stops)
        case "mace":
            from dissensus.judges.merging import mace

            return mace.fit(table, shares, **stops)
        case "glad":
            from dissensus.judges.merging import glad

            return glad.fit(table, shares, **stops)
        case "ordinal":
            from dissensus.judges.merging import ordinal_em

            return ordinal_em.fit(table, shares, **stops)
        case _:
            from dissensus.judges.merging import kos

            return kos.fit(table, seed=settings.seed)


def _anchor(judgments: Judgments, table: Labels, settings: Settings) -> NDArray[np.bool_]:
    """The assessors that must be right more often than wrong: whoever gives one grade to everything tells no grades."""
    if settings.per_topic:
        raise InputError(
            Text(Option("per_topic", True), " is for ", Option("method", "em-mv"), " and ", Option("method", "em-neu"),
                 ", not for em-anchored."),
        )  # fmt: skip
    lazy = {name for name, looks in suspects(table, judgments.assessors).items() if looks == "lazy"}
    return np.array([name not in lazy for name in judgments.assessors], bool)


def begin(judgments: Judgments, table: Labels, name: str, settings: Settings) -> tuple[em.Sparse, Floats | None]:
    """(labels as EM wants them, posteriors to start from or None for neutral judges)."""
    if settings.per_topic:  # an assessor in another topic is another judge, and topics have their own priors
        judge = np.unique(topic_judge(judgments, table), return_inverse=True)[1]
        data = em.Sparse.of(table, judge, int(judge.max()) + 1, judgments.item_topic)
    else:
        data = em.Sparse.of(table, table.assessor, table.n_assessors, np.zeros(table.n_items, np.int32))
    start = settings.start or STARTS[name]
    if start == "neutral":
        return data, None
    shares = vote_shares(table.first())
    if start == "shares":
        return data, shares
    level, _ = choose(shares, settings.ties, settings.seed)
    return data, (level[:, None] == np.arange(table.n_levels)).astype(np.float64)


def topic_judge(judgments: Judgments, table: Labels) -> NDArray[np.int64]:
    """A number for every assessor in every topic, per label."""
    topic = judgments.item_topic[table.item].astype(np.int64)
    return np.asarray(topic * table.n_assessors + table.assessor, np.int64)
