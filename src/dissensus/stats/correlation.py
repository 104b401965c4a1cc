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

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dissensus.errors import InputError, Option, Text
from dissensus.work.compiled import compiled
from dissensus.work.seeds import generator

Floats = NDArray[np.float64]

__all__ = ["kendall_tau", "tau_ap"]


def kendall_tau(x: ArrayLike, y: ArrayLike, *, variant: Literal["a", "b"] = "a") -> Any:
    """Kendall's τ: (concordant − discordant pairs) / pairs, in O(n log n) (Kendall 1938; Knight 1966).

    `variant="a"` divides by all pairs: ties cost. `"b"` divides by √(pairs untied in x · pairs untied in y): ties are
    forgiven; NaN where one side is constant. A float for two vectors, an array of rows otherwise.

    >>> kendall_tau([1, 2, 3], [1, 1, 2]), round(kendall_tau([1, 2, 3], [1, 1, 2], variant="b"), 4)
    (0.6666666666666666, 0.8165)

    Not for indefinite or top-weighted rankings: use `rbo` or `tau_ap`.
    """
    _choice("variant", variant, ("a", "b"))
    a, b, shape = _rows(x, y, ("x", "y"))
    walk = _Walk.down(a, b)
    n = a.shape[1]
    pairs = n * (n - 1) / 2
    surplus = (2 * walk.correct + walk.equal - walk.above).sum(axis=1)
    if variant == "a":
        return _shaped(surplus / pairs, shape)
    untied = np.sqrt((pairs - _tied_pairs(a)) * (pairs - _tied_pairs(b)))
    with np.errstate(invalid="ignore"):
        return _shaped(surplus / untied, shape)


def tau_ap(
    reference: ArrayLike,
    other: ArrayLike,
    *,
    ties: Literal["a", "b", "sampled"] = "a",
    samples: int = 1000,
    seed: int = 0,
) -> Any:
    """AP correlation: the mean, over the items of `other`, of how right the ranking above the item is.

    τ_ap = 2/(m−1) Σ_{i≥2} C(i)/(i−1) − 1, i running down `other`, C(i) the items above i that the reference also has
    above it (Yilmaz, Aslam & Robertson 2008). Not symmetric. With ties (Urbano & Marrero 2017):

    - `"a"`: the mean of τ_ap over all ways to break the ties (of `other`, and of the reference), exactly;
    - `"b"`: agreement of two rankings, both directions averaged: C(i) over the items above i's tie group, divided by
      their number; items of the top group do not count. NaN where one side is constant;
    - `"sampled"`: the mean over `samples` random tie breaks, seeded, as older work does it.

    >>> tau_ap([3, 2, 1], [1, 1, 1]), tau_ap([3, 2, 1], [2, 2, 1]), tau_ap([3, 2, 2], [3, 2, 2], ties="b")
    (0.0, 0.5, 1.0)
    """
    _choice("ties", ties, ("a", "b", "sampled"))
    a, b, shape = _rows(reference, other, ("reference", "other"))
    if ties == "sampled":
        return _shaped(_sampled(a, b, samples, seed), shape)
    if ties == "b":
        return _shaped((_agreement(a, b) + _agreement(b, a)) / 2, shape)
    return _shaped(_accuracy(a, b), shape)


def _accuracy(reference: Floats, other: Floats) -> Floats:
    """τ_ap,a. Pairs tied on either side average out to nothing over the tie breaks; an item of a tie group takes every
    rank of the group in turn, so that the items above the group are divided by the mean of 1/(rank − 1)."""
    walk = _Walk.down(reference, other)
    n = reference.shape[1]
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n + 1))))  # H_0 … H_n
    surplus, above, group = 2 * walk.correct + walk.equal - walk.above, walk.above, walk.group
    alone = surplus / np.maximum(above, 1)  # no difference of harmonic numbers: a ranking has exactly 1 with itself
    tied = surplus * (harmonic[above + group - 1] - harmonic[np.maximum(above - 1, 0)]) / group
    return np.asarray(np.where(group == 1, alone, tied).sum(axis=1) / (n - 1))


def _agreement(reference: Floats, other: Floats) -> Floats:
    """One direction of τ_ap,b: a pair above that the reference ties is not a pair it agrees on."""
    walk = _Walk.down(reference, other)
    below_top = walk.above > 0
    share = np.where(below_top, walk.correct / np.maximum(walk.above, 1), 0.0)
    counted = below_top.sum(axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(counted > 0, 2 * share.sum(axis=1) / counted - 1, np.nan))


def _sampled(reference: Floats, other: Floats, samples: int, seed: int) -> Floats:
    if samples < 1:
        raise InputError(Text(Option("samples", samples), ": at least one tie break has to be drawn."))
    rng = generator(seed)
    total = np.zeros(len(other))
    for _ in range(samples):
        total += _accuracy(_broken(reference, rng), _broken(other, rng))
    return total / samples


def _broken(scores: Floats, rng: np.random.Generator) -> Floats:
    """Ranks of the scores, ties in random order."""
    order = np.lexsort((rng.random(scores.shape), scores), axis=-1)
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(scores.shape[1], dtype=np.float64), scores.shape), axis=1)
    return ranks


# ── shared ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class _Walk:
    """Counts per item of `other`, row by row; see `count_above`."""

    correct: NDArray[np.int64]
    equal: NDArray[np.int64]
    above: NDArray[np.int64]
    group: NDArray[np.int64]

    @classmethod
    def down(cls, reference: Floats, other: Floats) -> _Walk:
        order = np.argsort(-other, axis=1, kind="stable")
        counts = [np.empty(other.shape, np.int64) for _ in range(4)]
        count_above(order, other, _dense_ranks(reference), *counts)
        return cls(*counts)


def _dense_ranks(scores: Floats) -> NDArray[np.int64]:
    """0 for the best score of a row, equal scores equal ranks, without gaps."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    step = np.zeros(scores.shape, np.int64)
    step[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    ranks = np.empty(scores.shape, np.int64)
    np.put_along_axis(ranks, order, np.cumsum(step, axis=1), axis=1)
    return ranks


def _tied_pairs(scores: Floats) -> Floats:
    ranks = _dense_ranks(scores)
    n = scores.shape[1]
    sizes = np.bincount((ranks + n * np.arange(len(ranks))[:, None]).ravel(), minlength=n * len(ranks))
    return np.asarray((sizes * (sizes - 1) / 2).reshape(len(ranks), n).sum(axis=1))


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


def _shaped(values: Floats, shape: tuple[int, ...]) -> Any:
    return float(values[0]) if shape == () else np.asarray(values).reshape(shape)


def _choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(Text(Option(name, value), f" is not one of {', '.join(map(repr, allowed))}."))


# ── the loop ──
# A Fenwick tree over the reference's ranks, O(n log n) per ranking; scipy's kendalltau gives only the total, and takes
# one pair of rankings at a time.
@compiled
def count_above(
    order: NDArray[np.int64],
    other: NDArray[np.float64],
    rank: NDArray[np.int64],
    correct: NDArray[np.int64],
    equal: NDArray[np.int64],
    above: NDArray[np.int64],
    group: NDArray[np.int64],
) -> None:
    """Walk each row of `other` from its best item down (`order` sorts it descending) and fill, per item:

    `above`: items with a higher score in `other`; of these, `correct` have a better `rank` in the reference and
    `equal` have the same; `group`: items tied with it in `other`, itself included. Ranks are dense, 0 is best.
    """
    n = other.shape[1]
    tree = np.zeros(n + 2, np.int64)
    for row in range(other.shape[0]):
        tree[:] = 0
        start = 0
        while start < n:
            end = start + 1
            while end < n and other[row, order[row, end]] == other[row, order[row, start]]:
                end += 1
            for k in range(start, end):
                item = order[row, k]
                better = 0
                i = rank[row, item]  # ranks below this one: prefix sum over 1…rank
                while i > 0:
                    better += tree[i]
                    i -= i & -i
                as_good = 0
                i = rank[row, item] + 1
                while i > 0:
                    as_good += tree[i]
                    i -= i & -i
                correct[row, item] = better
                equal[row, item] = as_good - better
                above[row, item] = start
                group[row, item] = end - start
            for k in range(start, end):  # only now: items tied with each other are not above one another
                i = rank[row, order[row, k]] + 1
                while i <= n:
                    tree[i] += 1
                    i += i & -i
            start = end


@count_above.in_numpy
def count_above_in_numpy(order, other, rank, correct, equal, above, group):  # type: ignore[no-untyped-def]
    """The same from all pairs of items."""
    higher = other[:, None, :] > other[:, :, None]  # row, item, item above it
    correct[:] = (higher & (rank[:, None, :] < rank[:, :, None])).sum(axis=2)
    equal[:] = (higher & (rank[:, None, :] == rank[:, :, None])).sum(axis=2)
    above[:] = higher.sum(axis=2)
    group[:] = (other[:, None, :] == other[:, :, None]).sum(axis=2)


@count_above.counting
def pairs(order, other, rank, correct, equal, above, group):  # type: ignore[no-untyped-def]
    """What numpy walks: all pairs of items of every row."""
    return other.size * other.shape[1]
