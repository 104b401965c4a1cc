"""How sure a user model is: standard errors by a Poisson bootstrap over result pages.

Each replicate counts every page K times, K ~ Poisson(1), and fits the walk, its stationary distribution and the dynamic
again. That treats pages as independent: several pages of one person are not, and errors are then too small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.measures.user_models import dead_ends, stationary_distribution
from dissensus.users.chain import MarkovUser
from dissensus.users.dynamic import least_squares
from dissensus.work.executor import run_units

Floats = NDArray[np.float64]


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


def bootstrap_user(user: MarkovUser, replicates: int = 100, seed: int = 0) -> dict[str, UserErrors]:
    """Standard errors of the whole ("all") and of every query class.

    >>> user = MarkovUser.fit([[1, 2, 3, 1, 2], [2, 1, 3, 2], [3, 2, 1, 3]] * 50)
    >>> errors = bootstrap_user(user, replicates=50)["all"]
    >>> errors.reducible, bool((errors.stationary < 0.02).all())
    (0, True)
    """
    if replicates < 2:
        raise InputError(Text(Option("replicates", replicates), ": a standard error takes two or more."))
    out = {}
    for place, (name, part) in enumerate({"all": user, **user.classes}.items()):
        drawn = run_units(
            one_replicate,
            range(replicates),
            shared={"user": part},
            seed=seed + place,
            threads=True,
            progress="bootstrap",
        )
        out[name] = _errors(drawn, len(part.visits))
    return out


def one_replicate(unit: int, user: MarkovUser, rng: np.random.Generator) -> tuple[float, Floats | None, Floats | None]:
    """(backward share, stationary distribution, dynamic) with every page counted Poisson(1) times."""
    n = len(user.visits)
    times = rng.poisson(1.0, int(user.page_of_move.max(initial=-1)) + 1)
    moves = np.bincount(user.pairs, weights=times[user.page_of_move], minlength=n * n).reshape(n, n).astype(np.float64)
    total = moves.sum()
    backward = float(np.tril(moves, -1).sum() / total) if total else float("nan")
    if user.smoothing:
        moves = moves + user.smoothing * np.outer(user.visited, user.visited)
    left = moves.sum(axis=1, keepdims=True)
    transition = np.divide(moves, left, out=np.zeros_like(moves), where=left > 0)
    seen = (moves.sum(0) > 0) | (left[:, 0] > 0)
    if dead_ends(transition) is not None or not np.array_equal(seen, user.visited):
        return backward, None, None
    pi = stationary_distribution(transition)
    rank = np.flatnonzero(seen) + 1
    return backward, pi, least_squares(rank, pi[rank - 1]) if len(rank) >= 3 else None


def _errors(drawn: list[tuple[float, Floats | None, Floats | None]], ranks: int) -> UserErrors:
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
    )
