"""Rank-biased overlap: how similar two indefinite rankings are to a reader who goes on with probability p.

    RBO = (1−p) Σ_{d≥1} p^{d−1} A_d,   A_d = agreement of the two rankings at depth d

(Webber, Moffat & Zobel 2010). The rankings may be of different lengths and hold different items. With ties (Corsi &
Urbano 2024) an item contributes to a depth d inside its tie group: fully from the group's top rank on (`w`, a tie is
equality), or with the probability of being above d (`a`, a tie is uncertainty). At depth d, X_d is the sum over items
of the products of their contributions, and A_d is

    w: 2 X_d / (items active in x + items active in y)     a: X_d / d     b: X_d / (√Σc_x² · √Σc_y²)

so that `a` is the mean over all ways to break the ties, and `b` makes a ranking agree wholly with itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dissensus.aliases import described
from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, Option, Text


@described
def rbo(
    x: Mapping[object, float] | Iterable[object],
    y: Mapping[object, float] | Iterable[object],
    p: float = 0.9,
    *,
    variant: Literal["ext", "min", "max", "res"] = "ext",
    ties: Literal["w", "a", "b"] = "a",
) -> float:
    """Rank-biased overlap of two rankings that need not hold the same items.

    The mean depth looked at is 1/(1−p). Not for rankings of the same few items down to the last: use `kendall_tau` or
    `tau_ap`.

    Parameters
    ----------
    x, y
        Lists of items, best first, tied items as a set; or {item: score}.
    p
        Persistence of the reader.
    variant
        ext carries the agreement seen on to the unseen ranks. min and max are the bounds, res the gap between
        them.
    ties
        How tied items count: w, a or b of Corsi & Urbano.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> x = ["red", {"blue", "green"}, "yellow", "pink"]
    >>> y = [{"blue", "red"}, "white", {"yellow", "black", "purple"}, "green"]
    >>> [round(rbo(x, y, 0.95, ties=t), 4) for t in "wab"]
    [0.7068, 0.6923, 0.7207]
    >>> rbo({"a": 3.0, "b": 2.0}, ["a", "b"])
    1.0
    """
    if variant not in ("ext", "min", "max", "res"):
        raise InputError(Text(Option("variant", variant), " is not one of 'ext', 'min', 'max', 'res'."))
    if ties not in ("w", "a", "b"):
        raise InputError(Text(Option("ties", ties), " is not one of 'w', 'a', 'b'."))
    if isinstance(p, bool) or not isinstance(p, int | float | np.floating) or not 0 < p < 1:
        raise InputError(
            Text(Option("p", p), ": the reader goes on with a probability between 0 and 1, both excluded.")
        )
    first, second = _Ranking.of(x, "x"), _Ranking.of(y, "y")
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    seen = _Seen(short, long, ties)
    if variant == "ext":
        return seen.extrapolated(p)
    low = seen.low(p)
    if variant == "min":
        return low
    high = seen.high(p)
    return high if variant == "max" else high - low


@dataclass(frozen=True)
class _Ranking:
    """Items in order; the tie group of item i spans ranks top[i]…bottom[i], counted from 1."""

    items: tuple[Hashable, ...]
    top: NDArray[np.int64]
    bottom: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.items)

    @classmethod
    def of(cls, ranking: Mapping[object, float] | Iterable[object], name: str) -> _Ranking:
        if hasattr(ranking, "dims"):  # an xarray Dataset is a mapping of variables: their names are not a ranking
            raise InputError(
                f"{name} is a table of scores, not a ranking.",
                Fix('Give {system: score}: scores["AP"][0].mean("topic").to_series().to_dict().', reader="python"),
            )
        if isinstance(ranking, str | bytes) or not isinstance(ranking, Iterable):
            raise InputError(Text(Option(name, ranking), " is not a ranking; give a list of items, best first."))
        groups = _groups_of_scores(ranking, name) if isinstance(ranking, Mapping) else _groups_of_list(ranking)
        items = [item for group in groups for item in group]
        if not items:
            raise InputError(f"{name} is empty; an overlap needs at least one item on each side.")
        if len(set(items)) < len(items):
            twice = next(i for i in items if items.count(i) > 1)
            raise InputError(f"{name} holds {twice!r} twice; an item has one place in a ranking.")
        sizes = np.array([len(g) for g in groups], np.int64)
        bottom = np.cumsum(sizes)
        return cls(tuple(items), np.repeat(bottom - sizes + 1, sizes), np.repeat(bottom, sizes))


def _groups_of_list(ranking: Iterable[object]) -> list[list[Hashable]]:
    return [list(g) if isinstance(g, set | frozenset) else [g] for g in ranking]


def _groups_of_scores(scores: Mapping[object, float], name: str) -> list[list[Hashable]]:
    groups: dict[float, list[Hashable]] = {}
    for item, score in scores.items():
        if score != score:
            raise InputError(f"{name} gives {item!r} the score NaN, which has no place in a ranking.")
        groups.setdefault(float(score), []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


class _Seen:
    """What is known at the depths 1…l, l the length of the longer ranking; arrays are indexed by depth − 1."""

    def __init__(self, short: _Ranking, long: _Ranking, ties: str) -> None:
        self.short, self.long, self.ties = short, long, ties
        self.s, self.l = len(short), len(long)
        self.depth = np.arange(1, self.l + 1, dtype=np.float64)
        place = {item: k for k, item in enumerate(short.items)}
        self.unshared = np.array([k for k, item in enumerate(long.items) if item not in place], np.int64)
        self.overlap = self._overlap(place)
        self.norm = self._norm()

    def _contribution(self, ranking: _Ranking, k: int, start: int, end: int) -> Floats:
        """Of item k at the depths start…end−1, all from its group's top rank on."""
        if self.ties == "w":
            return np.ones(end - start)
        top, bottom = int(ranking.top[k]), int(ranking.bottom[k])
        return np.minimum((np.arange(start, end) - top + 1) / (bottom - top + 1), 1.0)

    def _overlap(self, place: dict[Hashable, int]) -> Floats:
        """X_d. Once both tie groups are passed an item counts 1 at every depth: kept as a step, summed at the end."""
        total, steps = np.zeros(self.l), np.zeros(self.l + 1)
        for k, item in enumerate(self.long.items):
            j = place.get(item)
            if j is None:
                continue
            start = int(max(self.long.top[k], self.short.top[j]))
            end = int(max(self.long.bottom[k], self.short.bottom[j]))
            if start < end:
                product = self._contribution(self.long, k, start, end) * self._contribution(self.short, j, start, end)
                total[start - 1 : end - 1] += product
            steps[end - 1] += 1
        return total + np.cumsum(steps[:-1])

    def _norm(self) -> Floats:
        """What X_d is divided by. Beyond its end the shorter ranking goes on with items unseen, none of them tied."""
        if self.ties == "a":
            return self.depth
        sizes = []
        for ranking in (self.short, self.long):
            size = self.depth.copy()
            top, bottom = ranking.top, ranking.bottom
            if self.ties == "w":
                size[: len(ranking)] = bottom  # the whole group is active from its top rank on
            else:
                inside = self.depth[: len(ranking)] - top + 1
                size[: len(ranking)] = (top - 1) + inside**2 / (bottom - top + 1)  # Σ c²
            sizes.append(size)
        return (sizes[0] + sizes[1]) / 2 if self.ties == "w" else np.sqrt(sizes[0] * sizes[1])

    # ── the four answers ──
    def low(self, p: float) -> float:
        """No item unseen is shared."""
        tail = self.overlap[-1] * (-np.log1p(-p) - np.sum(p**self.depth / self.depth))
        return self._weighted(self.overlap, tail, p)

    def high(self, p: float) -> float:
        """Every item unseen is shared, as high up as it can be."""
        s, l, shared = self.s, self.l, float(self.overlap[-1])
        overlap = self.overlap.copy()
        for d in range(s + 1, l + 1):  # the d − s items that follow in the short one: the first the long one has alone
            overlap[d - 1] += self._active(self.unshared[: d - s], d).sum()
        end = l + s - shared  # the depth from which on the two could agree wholly
        further = np.arange(l + 1, int(end) + 1, dtype=np.float64)
        tail = np.sum((2 * further - l - s + shared) / further * p**further) + p ** (end + 1) / (1 - p)
        return self._weighted(overlap, float(tail), p)

    def extrapolated(self, p: float) -> float:
        """Items unseen are shared at the rate seen so far."""
        s, l = self.s, self.l
        rate = self.overlap[s - 1] / self.norm[s - 1]
        overlap = self.overlap.copy()
        for d in range(s + 1, l + 1):
            here = self._active(self.unshared, d)
            overlap[d - 1] += (d - s) * rate * here[here > 0].mean()
        tail = (self.overlap[-1] + (l - s) * rate) / l * p ** (l + 1) / (1 - p)
        return self._weighted(overlap, float(tail), p)

    def _active(self, which: NDArray[np.int64], depth: int) -> Floats:
        """Contributions of some items of the longer ranking at one depth."""
        top, bottom = self.long.top[which], self.long.bottom[which]
        if self.ties == "w":
            return (top <= depth).astype(np.float64)
        return np.asarray(np.clip((depth - top + 1) / (bottom - top + 1), 0.0, 1.0))

    def _weighted(self, overlap: Floats, tail: float, p: float) -> float:
        return float((1 - p) / p * (np.sum(overlap / self.norm * p**self.depth) + tail))
