"""The disagreement model itself: p(top | grade) with counts and intervals, and the weights that follow: P(at least M of
N users say top), given what one of them said, binomial or without replacement."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, Option, ReliabilityWarning, Text
from dissensus.results import Result, Table, described, single_values
from dissensus.stats.intervals import quantile, ratio_interval
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.judging.disagreement.api import Partners

FEW = 50  # labels below which an estimate is marked unreliable (S1 Table 4's brackets)
Key = int | str


@dataclass(frozen=True, eq=False)
class Disagreement(Result):
    """p(top | grade) with counts and intervals. `weights(at_least, of)` makes grade weights of it.

    Its table has the weights of `users` (at least M of N), with `zero` as in `weights`.

    Dicts are keyed by grade: by number on numeric scales, by name on named ones. Grades that no assessor gave to a
    document with a second label have `p` NaN and `count` 0.
    """

    table: Partners
    cluster: Literal["topic", "document"]
    level: float
    groups: Mapping[str, Disagreement] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    users: tuple[int, int] = (1, 3)
    zero: Sequence[str] | None = None

    # ── the estimates ──
    @property
    def scale(self) -> Scale:
        return self.table.scale

    @property
    def keys(self) -> tuple[Key, ...]:
        """Grades as dict keys, lowest first."""
        return grade_keys(self.scale)

    @property
    def top(self) -> Key:
        return self.keys[self.table.top]

    @property
    def p(self) -> dict[Key, float]:
        """P(another user says top | one said the grade)."""
        k = len(self.scale)
        given = np.bincount(self.table.level, self.table.share, k)
        share = np.divide(
            np.bincount(self.table.level, self.table.hits, k), given, out=np.full(k, np.nan), where=given > 0
        )
        return dict(zip(self.keys, share.tolist(), strict=True))

    @property
    def count(self) -> dict[Key, int]:
        """Labels of each grade that have a partner."""
        return dict(zip(self.keys, np.bincount(self.table.level, minlength=len(self.scale)).tolist(), strict=True))

    @property
    def documents(self) -> int:
        """Documents behind the estimates."""
        return len(np.unique(self.table.item))

    @property
    def unreliable(self) -> tuple[Key, ...]:
        """Grades with fewer than 50 labels, or, on an ordered scale, whose p is not shown to exceed the lowest grade's.

        Where p does not rise with the grade, users do not share an idea of it, and its weight is noise.
        """
        flat = {key for key, (_, low, _) in self.rise.items() if not low > 0}
        return tuple(key for key, n in self.count.items() if n < FEW or key in flat)

    @property
    def rise(self) -> dict[Key, tuple[float, float, float]]:
        """p of each grade above the lowest one that was given, minus p of that one, with its interval by clusters.

        Linearised: per cluster the difference of the two ratios' pulls, t with C − 1 degrees of freedom. Empty on
        scales without an order.
        """
        table = self.table
        given = [i for i, n in enumerate(self.count.values()) if n]
        if not self.scale.ordered or len(given) < 2:
            return {}

        group = np.unique(self._groups, return_inverse=True)[1]
        n = int(group.max()) + 1
        hits = table.hits
        share, influence = {}, {}
        for i in given:
            here = table.level == i
            x = float(table.share[here].sum())
            share[i] = float(hits[here].sum()) / x
            influence[i] = np.bincount(group[here], (hits[here] - share[i] * table.share[here]) / x, n)
        out: dict[Key, tuple[float, float, float]] = {}
        for i in given[1:]:
            difference = share[i] - share[given[0]]
            se = (
                math.sqrt(n / (n - 1) * float(((influence[i] - influence[given[0]]) ** 2).sum())) if n > 1 else math.inf
            )
            half_width = quantile(self.level, n - 1) * se if n > 1 else math.inf
            out[self.keys[i]] = (difference, difference - half_width, difference + half_width)
        return out

    @property
    def interval(self) -> dict[Key, tuple[float, float]]:
        """Interval of each p at `level`, by clusters (labels of a document, or of a topic, are not independent)."""
        table, group, hits = self.table, self._groups, self.table.hits
        out: dict[Key, tuple[float, float]] = {}
        for i, key in enumerate(self.keys):
            here = table.level == i
            out[key] = ratio_interval(hits[here], table.share[here], group[here], self.level)
        return out

    @property
    def _groups(self) -> NDArray[np.int32]:
        return self.table.topic if self.cluster == "topic" else self.table.item

    # ── the weights ──
    def weights(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> dict[Key, float]:
        """Weight of every grade: P(at least `at_least` of `of` users say top | one of them said the grade).

        `zero` names the grades whose weight is set to 0 (shell patterns such as "*, Non" are understood); without it
        that is the bottom grade of an ordered scale, as the model's authors propose; `zero=()` keeps every estimate.
        Warns where a higher grade weighs less than a lower one.
        """
        out = self.weights_as_they_are(at_least, of, zero=zero)
        if self.scale.ordered:
            _warn_of_order(out)
        return out

    def weights_as_they_are(
        self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None
    ) -> dict[Key, float]:
        """`weights` without a word on their order, for those who estimate them many times over."""
        check_users(at_least, of)
        empty = self.zeroed(zero)
        return {
            key: 0.0 if key in empty else weight_of(p, at_least, of, is_top=key == self.top)
            for key, p in self.p.items()
        }

    def empirical(self, at_least: int = 1, of: int = 3) -> dict[Key, tuple[float, int]]:
        """(weight, labels) of every grade counted without assuming that users are independent.

        One label is given, `of` − 1 of the document's other labels are drawn; only labels with that many partners
        count. NaN where there is none.
        """
        check_users(at_least, of)
        table = self.table
        out: dict[Key, tuple[float, int]] = {}
        for i, key in enumerate(self.keys):
            here = (table.level == i) & (table.others >= of - 1)
            need = max(at_least - 1, 0) if i == table.top else at_least
            chance = drawn_at_least(need, of - 1, table.tops[here], table.others[here])
            share = table.share[here]
            out[key] = (float(chance @ share / share.sum()) if here.any() else math.nan, int(here.sum()))
        return out

    def zeroed(self, zero: str | Sequence[str] | None = None) -> set[Key]:
        """The grades whose weight is 0 by decree."""
        if zero is None:
            bottom = self.keys[0]
            return {bottom} if self.scale.ordered and bottom != self.top else set()
        patterns = [zero] if isinstance(zero, str) else [str(z) for z in zero]
        out: set[Key] = set()
        for pattern in patterns:
            named = {key for key in self.keys if fnmatchcase(str(key), pattern)}
            if not named:
                raise InputError(
                    Text(Option("zero", pattern), " names no grade."),
                    "Grades: " + ", ".join(str(key) for key in self.keys),
                )
            out |= named
        return out - {self.top}

    # ── going to ──
    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Grade weights"

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        weights = self.weights_as_they_are(*self.users, zero=self.zero)
        return {**single_values(self), "top": self.top, "weights": weights}

    @property
    def notes(self) -> tuple[str, ...]:
        """What the weights are, what they rest on, and what was done to the labels."""
        unordered = "" if self.scale.ordered or self.zero else " (labels without an order; declare it with --scale)"
        mark = "; " if self.scale.facets else ", "  # between labels that may hold commas
        zeroed = mark.join(str(key) for key in self.keys if key in self.zeroed(self.zero)) or "none"
        m, n = self.users
        return (
            f"top = {self.top}; weight = P(at least {m} of {n} users say top | one said the grade); "
            f"set to 0: {zeroed}{unordered}",
            f"{self.documents:,} documents; p with {self.level:.0%} intervals; reliable = 50 labels or more and "
            "p shown to exceed the lowest grade's (rise.low above 0)",
            "empirical = counted from labels, without taking users for independent",
            *self.remarks,
        )

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name: all documents, then each group of topics."""
        parts = {"weights": self} | {f"weights, {name}": part for name, part in self.groups.items()}
        frames = {name: part.weight_frame(*self.users, zero=self.zero) for name, part in parts.items()}
        return described(frames, level=self.level)

    def weight_frame(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> pl.DataFrame:
        """Polars frame: grade, labels, p with its interval, weight with its interval, empirical weight, reliable.

        `rise` is p minus that of the lowest grade, with its lower end.
        """
        empty, interval, rise, doubtful = self.zeroed(zero), self.interval, self.rise, set(self.unreliable)
        unknown = (math.nan, math.nan, math.nan)
        low, high = zip(*interval.values(), strict=True)
        weights = self.weights(at_least, of, zero=zero)
        empirical, labels = zip(*self.empirical(at_least, of).values(), strict=True)

        def bound(key: Key, end: int) -> float:
            """Weights rise with p, so the ends of p's interval are the ends of the weight's."""
            return 0.0 if key in empty else weight_of(interval[key][end], at_least, of, is_top=key == self.top)

        rows = pl.DataFrame(
            {
                "grade": [str(key) for key in self.keys],
                "labels": list(self.count.values()),
                "p": list(self.p.values()),
                "p.low": low,
                "p.high": high,
                "weight": list(weights.values()),
                "weight.low": [bound(key, 0) for key in self.keys],
                "weight.high": [bound(key, 1) for key in self.keys],
                "empirical": empirical,
                "empirical.labels": labels,
                "rise": [rise.get(key, unknown)[0] for key in self.keys],
                "rise.low": [rise.get(key, unknown)[1] for key in self.keys],
                "reliable": [key not in doubtful for key in self.keys],
            }
        )
        return rows.sort("weight", descending=True, nulls_last=True, maintain_order=True) if self.scale.facets else rows

    def gains_json(self, at_least: int = 1, of: int = 3, *, zero: str | Sequence[str] | None = None) -> str:
        """{"grade": weight}, the file that `dissensus evaluate --gains` reads."""
        weights = self.weights(at_least, of, zero=zero)
        unknown = [str(key) for key, w in weights.items() if math.isnan(w)]
        if unknown:
            raise InputError(
                f"the grade {'; '.join(unknown)} has no weight: no document with a second label has it.",
                Fix("Judge more documents twice, or set its weight to 0: ", Option("zero", unknown[0]), "."),
            )
        return json.dumps({str(key): w for key, w in weights.items()}, ensure_ascii=False, indent=1)


def grade_keys(scale: Scale) -> tuple[Key, ...]:
    """Numbers where grades are numbers, else names."""
    numeric = scale.names == tuple(str(g) for g in scale.grades)
    return tuple(int(g) for g in scale.grades) if numeric else scale.names


def _warn_of_order(weights: Mapping[Key, float]) -> None:
    known = [(key, w) for key, w in weights.items() if not math.isnan(w)]
    for (low, a), (high, b) in pairwise(known):
        if b < a - 1e-12:
            warnings.warn(
                f"the grade {high} weighs {b:.3f}, less than the lower grade {low} ({a:.3f}): users do not keep to the "
                "order of the scale, or there are too few labels.",
                ReliabilityWarning,
                stacklevel=3,
            )
            return


def check_users(at_least: int, of: int) -> None:
    """Refuse M/N that are no whole numbers with 0 ≤ M ≤ N, 1 ≤ N."""
    whole = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in (at_least, of))
    if not whole or of < 1 or not 0 <= at_least <= of:
        raise InputError(
            Text(
                Option("at_least", at_least),
                " ",
                Option("of", of),
                ": at least M of N users, whole numbers with 0 ≤ M ≤ N and N ≥ 1.",
            )
        )


def weight_of(p: float, at_least: int, of: int, *, is_top: bool) -> float:
    """P(at least M of N users say top | one of them said top, or did not): equations 4 and 5.

    >>> [round(weight_of(0.3, m, n, is_top=False), 3) for m, n in ((1, 3), (2, 3), (2, 4), (2, 5))]
    [0.51, 0.09, 0.216, 0.348]
    """
    first = max(at_least - 1, 0) if is_top else at_least
    if first <= 0:
        return 1.0  # whatever p is, even unknown
    return math.fsum(math.comb(of - 1, m) * p**m * (1 - p) ** (of - 1 - m) for m in range(first, of))


def drawn_at_least(need: int, draws: int, tops: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(at least `need` top labels among `draws` of `others` labels, `tops` of them top), hypergeometric."""
    pairs, place = np.unique(np.column_stack((tops, others)), axis=0, return_inverse=True)
    chance = [
        sum(math.comb(t, m) * math.comb(o - t, draws - m) for m in range(need, draws + 1)) / math.comb(o, draws)
        for t, o in pairs.tolist()
    ]
    return np.array(chance)[place.ravel()]
