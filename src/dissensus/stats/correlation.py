"""How similar two rankings are: Kendall's τ, and τ_ap, which minds the top more (rank-biased overlap: `stats.overlap`).

Arguments are scores, higher is better, in the same order of items. Arrays with more dimensions are compared row by row
(the last axis holds the items), broadcasting like numpy: one reference against ten thousand replicates is one call.

    >>> kendall_tau([4, 3, 2, 1], [4, 3, 1, 2])
    0.6666666666666666
    >>> [round(tau_ap([4, 3, 2, 1], y), 4) for y in ([4, 3, 1, 2], [3, 4, 2, 1])]  # an error at the top costs more
    [0.7778, 0.3333]

Not for scores that are equal up to rounding only: ties are exact equality; round first if that is what you mean.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dissensus.aliases import described
from dissensus.arrays import Floats
from dissensus.errors import InputError, Option, Text
from dissensus.stats.orders import Orders, PairCountsAbove
from dissensus.work.seeds import generator

__all__ = ["kendall_tau", "tau_ap"]


@described
def kendall_tau(x: ArrayLike, y: ArrayLike, *, variant: Literal["a", "b"] = "a") -> Any:
    """Kendall's τ: (concordant − discordant pairs) / pairs, in O(n log n) (Kendall 1938; Knight 1966).

    Not for indefinite or top-weighted rankings: use `rbo` or `tau_ap`.

    Parameters
    ----------
    x, y
        Scores of the same items. Rows of a table are compared row by row.
    variant
        a divides by all pairs, so ties cost. b divides by the pairs untied in each, and is NaN where one side
        is constant.

    Returns
    -------
    float or array
        One value for two vectors, an array for rows.

    Examples
    --------
    >>> kendall_tau([1, 2, 3], [1, 1, 2]), round(kendall_tau([1, 2, 3], [1, 1, 2], variant="b"), 4)
    (0.6666666666666666, 0.8165)
    """
    _choice("variant", variant, ("a", "b"))
    a, b, shape = _rows(x, y, ("x", "y"))
    reference, other = Orders.of(a), Orders.of(b)
    walk = PairCountsAbove.down(reference, other)
    if variant == "a":
        return _shaped(walk.tau(), shape)
    pairs = a.shape[1] * (a.shape[1] - 1) / 2
    untied = np.sqrt((pairs - reference.tied_pairs) * (pairs - other.tied_pairs))
    with np.errstate(invalid="ignore"):
        return _shaped(walk.surplus.sum(axis=1) / untied, shape)


@described
def tau_ap(
    reference: ArrayLike,
    other: ArrayLike,
    *,
    ties: Literal["a", "b", "sampled"] = "a",
    replicates: int = 1000,
    seed: int = 0,
) -> Any:
    """AP correlation: how right the ranking above each item is, on average over the items of `other`.

    τ_ap = 2/(m−1) Σ_{i≥2} C(i)/(i−1) − 1, i running down `other`, C(i) the items above i that the reference also has
    above it (Yilmaz, Aslam & Robertson 2008). Not symmetric. Ties are Urbano & Marrero's (2017).

    Parameters
    ----------
    reference
        Scores of the items in the order that is right.
    other
        Scores of the same items in the order that is judged.
    ties
        a: the mean over all ways to break the ties, exactly. b: agreement of two rankings with ties, NaN where
        one is constant. sampled: the mean over random tie breaks.
    replicates
        How many tie breaks are drawn with ties="sampled".

    Returns
    -------
    float or array
        One value for two vectors, an array for rows.

    Examples
    --------
    >>> tau_ap([3, 2, 1], [1, 1, 1]), tau_ap([3, 2, 1], [2, 2, 1]), tau_ap([3, 2, 2], [3, 2, 2], ties="b")
    (0.0, 0.5, 1.0)
    """
    _choice("ties", ties, ("a", "b", "sampled"))
    a, b, shape = _rows(reference, other, ("reference", "other"))
    if ties == "sampled":
        return _shaped(_sampled(a, b, replicates, seed), shape)
    if ties == "b":
        return _shaped((_agreement(a, b) + _agreement(b, a)) / 2, shape)
    return _shaped(_accuracy(a, b), shape)


def _accuracy(reference: Floats, other: Floats) -> Floats:
    return PairCountsAbove.down(Orders.of(reference), Orders.of(other)).tau_ap()


def _agreement(reference: Floats, other: Floats) -> Floats:
    """One direction of τ_ap,b: a pair above that the reference ties is not a pair it agrees on."""
    walk = PairCountsAbove.down(Orders.of(reference), Orders.of(other))
    below_top = walk.above > 0
    share = np.where(below_top, walk.correct / np.maximum(walk.above, 1), 0.0)
    counted = below_top.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(counted > 0, 2 * share.sum(axis=1) / counted - 1, np.nan))


def _sampled(reference: Floats, other: Floats, replicates: int, seed: int) -> Floats:
    if replicates < 1:
        raise InputError(Text(Option("replicates", replicates), ": at least one tie break has to be drawn."))
    rng = generator(seed)
    total = np.zeros(len(other))
    for _ in range(replicates):
        total += _accuracy(_broken(reference, rng), _broken(other, rng))
    return total / replicates


def _broken(scores: Floats, rng: np.random.Generator) -> Floats:
    """Ranks of the scores, ties in random order."""
    order = np.lexsort((rng.random(scores.shape), scores), axis=-1)
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(scores.shape[1], dtype=np.float64), scores.shape), axis=1)
    return ranks


# ── shared ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def _rows(x: ArrayLike, y: ArrayLike, names: tuple[str, str]) -> tuple[Floats, Floats, tuple[int, ...]]:
    """Both arguments as equally many rows of doubles, and the shape of the answer."""
    arrays = []
    for name, value in zip(names, (x, y), strict=True):
        try:
            array = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise InputError(Text(Option(name, value), " must be a list of scores, one for every item.")) from problem
        if array.ndim == 0:
            raise InputError(f"{name} is one number; give the scores of all items.")
        if np.isnan(array).any():
            raise InputError(
                f"{name} holds {np.isnan(array).sum():,} NaN; a rank correlation needs a score for every item.",
                "Leave out, on both sides, the items that have no score.",
            )
        arrays.append(array)
    a, b = arrays
    if a.shape[-1] != b.shape[-1]:
        raise InputError(
            f"{names[0]} has {a.shape[-1]:,} items and {names[1]} {b.shape[-1]:,}; they must be the same items."
        )
    if a.shape[-1] < 2:
        raise InputError(f"{names[0]} has {a.shape[-1]} item(s); two at least are needed to be in an order.")
    try:
        a, b = np.broadcast_arrays(a, b)
    except ValueError:
        raise InputError(
            f"{names[0]} of shape {a.shape} and {names[1]} of shape {b.shape} do not fit together."
        ) from None
    n = a.shape[-1]
    return np.ascontiguousarray(a.reshape(-1, n)), np.ascontiguousarray(b.reshape(-1, n)), a.shape[:-1]


def _shaped(values: Floats, shape: tuple[int, ...]) -> object:
    return float(values[0]) if shape == () else np.asarray(values).reshape(shape)


def _choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(Text(Option(name, value), f" is not one of {', '.join(map(repr, allowed))}."))
