"""Many rankings of the same items, put in order once and compared row by row: τ, τ_ap, RBO and the overlap at the top.

A bootstrap of leaderboards compares a hundred judges a thousand times. Sorting is what costs, so `Orders` sorts the
rows of a table once. Pairs of rows are compared from what is known of each: dense ranks, the order, and the first and
last place of every tie group. Definitions and references are those of `kendall_tau`, `tau_ap` and `rbo`. The overlap at
depth k is RBO's agreement A_k there. That is the expected share of the first k that two rankings have in common when
ties are broken at random.

    >>> one, other = Orders.of([[4.0, 3.0, 2.0, 1.0]]), Orders.of([[4.0, 3.0, 1.0, 2.0]])
    >>> [round(float(v), 4) for v in compared(one, other, k=3)[0]]
    [0.6667, 0.7778, 0.973, 0.6667]
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dissensus.arrays import Floats, Ints
from dissensus.engine.orders import add_overlaps, pairs_above

Kind = Literal["tau", "tau_ap", "rbo", "top_k"]
KINDS: tuple[Kind, ...] = ("tau", "tau_ap", "rbo", "top_k")  # the columns of `compared`
#: what 1.96 standard deviations of resamples are multiplied by, chosen by simulation (`order_interval`)
FACTORS: dict[Kind, float] = {"tau": 2.0, "tau_ap": 2.25, "rbo": 2.0, "top_k": 2.25}
STEADY, QUIET, LOUD = 1.5, 0.02, 0.05  # of τ: the factor where resamples hardly move it, and between which sd it grows
LEAST: dict[Kind, float] = {"tau": -1.0, "tau_ap": -1.0, "rbo": 0.0, "top_k": 0.0}


@dataclass(frozen=True, eq=False)
class Orders:
    """Rows of scores (higher is better) with `order` (items, best first), dense `rank` from 0, and the places
    `first` … `last` (from 1) of every item's tie group."""

    scores: Floats
    order: Ints
    rank: Ints
    first: Ints
    last: Ints

    @classmethod
    def of(cls, scores: ArrayLike) -> Orders:
        """Sort every row."""
        rows = np.ascontiguousarray(scores, np.float64)
        order = np.argsort(-rows, axis=1, kind="stable")
        ordered = np.take_along_axis(rows, order, axis=1)
        n = rows.shape[1]
        starts = np.ones(rows.shape, bool)
        starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        place = np.arange(n)
        top = np.maximum.accumulate(np.where(starts, place, 0), axis=1)
        ends = np.ones(rows.shape, bool)
        ends[:, :-1] = starts[:, 1:]
        bottom = np.minimum.accumulate(np.where(ends, place, n)[:, ::-1], axis=1)[:, ::-1]
        unsorted = np.empty((3, *rows.shape), np.int64)
        for k, values in enumerate((np.cumsum(starts, axis=1) - 1, top + 1, bottom + 1)):
            np.put_along_axis(unsorted[k], order, values, axis=1)
        return cls(rows, order, *unsorted)

    def take(self, rows: Ints) -> Orders:
        """Some of the rows, any of them more than once."""
        return Orders(*(getattr(self, f.name)[rows] for f in fields(self)))

    @cached_property
    def tied_pairs(self) -> Floats:
        """Pairs of items with the same score, of every row."""
        return np.asarray((self.last - self.first).sum(axis=1) / 2)


@dataclass(frozen=True)
class PairCountsAbove:
    """Counts per item of `other`, row by row; see `pairs_above`."""

    correct: Ints
    equal: Ints
    above: Ints
    group: Ints

    @classmethod
    def down(cls, reference: Orders, other: Orders) -> PairCountsAbove:
        counts = [np.empty(other.scores.shape, np.int64) for _ in range(4)]
        pairs_above(other.order, other.scores, reference.rank, *counts)
        return cls(*counts)

    @property
    def surplus(self) -> Ints:
        """Items above that the reference has above, too, minus those it has below."""
        return 2 * self.correct + self.equal - self.above

    def tau(self) -> Floats:
        """Kendall's τ_a of every row."""
        n = self.above.shape[1]
        return np.asarray(self.surplus.sum(axis=1) / (n * (n - 1) / 2))

    def tau_ap(self) -> Floats:
        """τ_ap,a of every row. Pairs tied on either side average out to nothing over the tie breaks. An item of a tie
        group takes every rank of the group in turn, so the items above are divided by the mean of 1/(rank − 1)."""
        above, group, n = self.above, self.group, self.above.shape[1]
        harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, n + 1))))  # H_0 … H_n
        alone = self.surplus / np.maximum(above, 1)  # no difference of harmonic numbers: exactly 1 with itself
        tied = self.surplus * (harmonic[above + group - 1] - harmonic[np.maximum(above - 1, 0)]) / group
        return np.asarray(np.where(group == 1, alone, tied).sum(axis=1) / (n - 1))


def compared(reference: Orders, other: Orders, *, p: float = 0.9, k: int = 5) -> Floats:
    """Rows × (τ_a, τ_ap,a, RBO, overlap at k); row by row, `reference` having one row or as many as `other`."""
    if len(reference.scores) == 1 < len(other.scores):
        reference = reference.take(np.zeros(len(other.scores), np.int64))
    walk = PairCountsAbove.down(reference, other)
    return np.stack([walk.tau(), walk.tau_ap(), *overlaps(reference, other, p, k)], axis=1)


def order_interval(
    estimate: ArrayLike, mean: ArrayLike, sd: ArrayLike, kind: Kind = "tau"
) -> tuple[Floats, Floats, Floats]:
    """(corrected estimate, low, high): what two orders would share over all topics like these, for these systems.

    Noise of topics parts two leaderboards, and resampled topics add it once more. `mean` and `sd` are those of the
    resamples: twice the estimate minus their mean takes the first part out, ± 1.96 · factor · sd is the 95 % interval.
    The factor of τ is 1.5 where sd is at most 0.02, as with many systems or topics, and grows to 2 at 0.05. It is 2.25
    for τ_ap and the overlap at the top, and 2 for RBO. In eight simulated cells (8 to 60 systems, 25 to 200 topics,
    good and weak judges, systems far apart and close) these intervals hold at least 0.93 of true values. It is 0.92
    where the two true orders are equal and systems are closer than 25 topics can show.

    >>> [round(float(v), 3) for v in order_interval(0.9366, 0.9073, 0.0152)]
    [0.966, 0.921, 1.0]
    """
    centre = 2 * np.asarray(estimate, np.float64) - np.asarray(mean, np.float64)
    spread = np.asarray(sd, np.float64)
    factor = np.full(spread.shape, FACTORS[kind])
    if kind == "tau":
        factor = STEADY + (FACTORS[kind] - STEADY) * np.clip((spread - QUIET) / (LOUD - QUIET), 0.0, 1.0)
    half_width = 1.96 * factor * spread
    middle, low, high = (np.clip(v, LEAST[kind], 1.0) for v in (centre, centre - half_width, centre + half_width))
    return middle, low, high


def overlaps(x: Orders, y: Orders, p: float, k: int) -> tuple[Floats, Floats]:
    """(RBO, overlap at depth k) of every row; both rankings hold the same n items, so RBO_ext = RBO.

    An item that is not tied counts from the lower of its two places on: its share of Σ_d w_d X_d / d is a sum of the
    weights from there. Items of tie groups come in by parts, depth by depth.
    """
    n = x.scores.shape[1]
    depth = np.arange(1, n + 1)
    weight = (1 - p) * p ** (depth - 1.0)
    weight[-1] = p ** (n - 1)  # from the last place on the two agree wholly
    share = weight / depth
    beyond = np.concatenate([np.cumsum(share[::-1])[::-1], [0.0]])  # Σ_{d > i} share, i = 0 … n
    rbo, top = np.zeros(len(x.scores)), np.zeros(len(x.scores))
    add_overlaps(x.first, x.last, y.first, y.last, share, beyond, min(k, n), rbo, top)
    return rbo, top / min(k, n)
