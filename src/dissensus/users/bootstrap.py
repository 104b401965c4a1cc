"""How sure a user model is: standard errors by a Poisson bootstrap over queries, or over result pages.

Each replicate counts every query K times with all of its pages, K ~ Poisson(1), and fits the walk, its stationary
distribution and the dynamic again. Pages of one query share their results and are not independent: over pages
(`unit="page"`) errors come out about ten times too small on a log of twenty queries. A log that names no queries, or
one only, is resampled by pages, and `UserErrors.unit` says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.measures.user_models import dead_ends, stationary_distribution
from dissensus.users.chain import MarkovUser, with_ends
from dissensus.users.dynamic import least_squares
from dissensus.work.executor import run_units

Unit = Literal["query", "page"]


@dataclass(frozen=True, eq=False)
class UserErrors:
    """Standard errors of one walk; NaN where fewer than half of the replicates had a stationary distribution (or, for
    `backward`, any move)."""

    stationary: Floats
    backward: float
    alpha: float
    beta: float
    gamma: float
    replicates: int
    reducible: int  # replicates left out of `stationary` and the dynamic
    unit: Unit = "query"
    n_units: int = 0


def bootstrap_user(
    user: MarkovUser, replicates: int = 100, seed: int = 0, unit: Unit = "query"
) -> dict[str, UserErrors]:
    """Standard errors of the whole ("all") and of every query class.

    >>> user = MarkovUser.fit([[1, 2, 3, 1, 2], [2, 1, 3, 2], [3, 2, 1, 3]] * 50)
    >>> errors = bootstrap_user(user, replicates=50, unit="page")["all"]
    >>> errors.reducible, bool((errors.stationary < 0.02).all())
    (0, True)
    """
    if replicates < 2:
        raise InputError(Text(Option("replicates", replicates), ": a standard error takes two or more."))
    if unit not in ("query", "page"):
        raise InputError(Text(Option("unit", unit), ' is not one of "query", "page".'))
    out = {}
    for place, (name, part) in enumerate({"all": user, **user.classes}.items()):
        drawn = run_units(
            one_replicate,
            range(replicates),
            shared={"user": part, "unit": unit_of(part, unit)},
            seed=seed + place,
            threads=True,
            progress="bootstrap",
        )
        used = unit_of(part, unit)
        number = len(np.unique(part.query_of_page)) if used == "query" else len(part.first)
        out[name] = _errors(drawn, len(part.visits), used, number)
    return out


def unit_of(user: MarkovUser, wanted: Unit) -> Unit:
    """Queries where the log has at least two, else pages."""
    return "query" if wanted == "query" and len(np.unique(user.query_of_page)) > 1 else "page"


def one_replicate(
    number: int, user: MarkovUser, unit: Unit, rng: np.random.Generator
) -> tuple[float, Floats | None, Floats | None]:
    """(backward share, stationary distribution, dynamic) with every query or page counted Poisson(1) times."""
    n = len(user.visits)
    if unit == "query":
        drawn = rng.poisson(1.0, int(user.query_of_page.max(initial=-1)) + 1).astype(np.float64)
        times, page_times = drawn[user.query_of_move], drawn[user.query_of_page]
    else:
        drawn = rng.poisson(1.0, len(user.first)).astype(np.float64)
        moved = np.flatnonzero(user.several)
        times, page_times = drawn[moved[user.page_of_move]] if len(moved) else np.empty(0), drawn
    moves = np.bincount(user.pairs, weights=times, minlength=n * n).reshape(n, n).astype(np.float64)
    total = moves.sum()
    backward = float(np.tril(moves, -1).sum() / total) if total else float("nan")
    if user.ends:
        moves = with_ends(moves, user.first, user.last, page_times)
    if user.smoothing:
        moves = moves + user.smoothing * np.outer(user.visited, user.visited)
    left = moves.sum(axis=1, keepdims=True)
    transition = np.divide(moves, left, out=np.zeros_like(moves), where=left > 0)
    seen = (moves.sum(0) > 0) | (left[:, 0] > 0)
    # with page starts and ends a draw without clicks on some rank is no less a draw: that rank's share is 0 in it
    other = not seen.any() if user.ends else not np.array_equal(seen, user.visited)
    if other or dead_ends(transition) is not None:
        return backward, None, None
    pi = stationary_distribution(transition)
    rank = np.flatnonzero(user.visited) + 1
    return backward, pi, least_squares(rank, pi[rank - 1]) if len(rank) >= 3 else None


def _errors(
    drawn: list[tuple[float, Floats | None, Floats | None]], ranks: int, unit: Unit, n_units: int
) -> UserErrors:
    solved = [pi for _, pi, _ in drawn if pi is not None]
    curves = [curve for _, _, curve in drawn if curve is not None]
    enough = len(solved) * 2 >= len(drawn) and len(solved) > 1
    spread = np.std(curves, axis=0, ddof=1) if enough and len(curves) > 1 else np.full(3, np.nan)
    shares = np.array([share for share, _, _ in drawn if not np.isnan(share)])  # NaN: a draw without any move
    return UserErrors(
        stationary=np.std(solved, axis=0, ddof=1) if enough else np.full(ranks, np.nan),
        backward=float(np.std(shares, ddof=1)) if len(shares) * 2 >= len(drawn) and len(shares) > 1 else np.nan,
        alpha=float(spread[0]),
        beta=float(spread[1]),
        gamma=float(spread[2]),
        replicates=len(drawn),
        reducible=len(drawn) - len(solved),
        unit=unit,
        n_units=n_units,
    )
