"""Measures that only trec_eval has: geometric means, 11pt_avg, utility, unj; its graded ones are in `trec_gains`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import MeasureError
from dissensus.measures.families.average import AP
from dissensus.measures.families.precision import IPrec, Judged
from dissensus.measures.families.preference import Bpref
from dissensus.measures.linear import lengths, relevant_found
from dissensus.measures.measure import Grades, Measure, is_judged
from dissensus.measures.parameters import choice, number, numbers, relevance, whole
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.measures.ties import TieGroups
    from dissensus.tables.collection import Joined

FLOOR = 1e-5  # trec_eval's least score under a geometric mean
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


# ── geometric means ──
class Floored(Measure):
    """A measure at least 1e-5 on every topic, averaged geometrically; put before the measure it floors."""

    aggregate = "geometric"
    when_empty = FLOOR

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.maximum(super().compute(grades, pool, scale), FLOOR))

    def scores(self, joined: Joined) -> Floats:
        return np.maximum(super().scores(joined), FLOOR)


@dataclass(frozen=True)
class GMAP(Floored, AP):
    """AP, at least 1e-5, averaged geometrically over topics: topics that fail count more."""

    formula = "exp(mean ln max(AP, 1e-5))"
    user = "does what AP's user does; topics that fail count more"
    reference = "Robertson 2006; trec_eval (gm_map)"
    takes_cutoff = False

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return None  # the floor is not linear

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        return {suffix: np.maximum(values, FLOOR) for suffix, values in super().bounds(joined).items()}


@dataclass(frozen=True)
class GMBpref(Floored, Bpref):
    """bpref, at least 1e-5, averaged geometrically over topics."""

    formula = "exp(mean ln max(bpref, 1e-5))"
    user = "does what bpref's user does; topics that fail count more"
    reference = "trec_eval (gm_bpref)"


# ── recall ──
@dataclass(frozen=True)
class IPrecAvg(Measure):
    """Mean interpolated precision over recall levels, by default 0, 0.1, …, 1 (trec_eval's 11pt_avg)."""

    formula = "mean of IPrec over the levels"
    user = "wants some share of the relevant documents, each of the levels with equal chances"
    reference = "trec_eval (11pt_avg)"

    levels: tuple[float, ...] = numbers(LEVELS, "recall levels", least=0, most=1)
    rel: int = relevance()
    rounding: str = choice("v9", "how trec_eval 9 or 10 rounds level·R", "v9", "v10")
    takes_cutoff = False
    needs_relevant = True

    def points(self) -> list[IPrec]:
        """The measures that are averaged."""
        return [IPrec(level=level, rel=self.rel, rounding=self.rounding) for level in self.levels]

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.mean([point.compute(grades, pool, scale) for point in self.points()]))

    def scores(self, joined: Joined) -> Floats:
        return np.asarray(np.mean([point.scores(joined) for point in self.points()], axis=0), np.float64)


# ── sets and unjudged documents ──
@dataclass(frozen=True)
class Utility(Measure):
    """a·(relevant retrieved) + b·(others retrieved) + c·(relevant missed) + d·(all other documents of the collection).

    `documents`, the size of the collection, is needed where d is not 0.
    """

    formula = "a·|rel. retrieved| + b·|others retrieved| + c·|rel. missed| + d·|rest of the collection|"
    user = "pays for every document that is shown and every relevant one that is not"
    reference = "trec_eval (utility)"

    a: float = number(1.0, "value of a relevant document retrieved")
    b: float = number(-1.0, "value of another document retrieved")
    c: float = number(0.0, "value of a relevant document missed")
    d: float = number(0.0, "value of every other document of the collection")
    documents: int | None = whole(None, "documents of the collection", optional=True, least=1)
    rel: int = relevance()
    takes_cutoff = False
    bounded = False
    order_free = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d and self.documents is None:
            raise MeasureError(
                f"{self}: d counts documents of the collection, whose number is missing.",
                "Add documents=528155, for example.",
            )

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        found = float((grades >= self.rel).sum())
        relevant = float((pool >= self.rel).sum())
        return float(self._sum(np.array(found), np.array(relevant), np.array(float(len(grades)))))

    def scores(self, joined: Joined) -> Floats:
        relevant = self.in_pool(joined).T[:, None].astype(np.float64)
        return self._sum(relevant_found(self.rel, None, joined), relevant, lengths(joined)[None].astype(np.float64))

    def _sum(self, found: Floats, relevant: Floats, n: Floats) -> Floats:
        rest = (self.documents or 0) + found - n - relevant
        total = self.a * found + self.b * (n - found) + self.c * (relevant - found) + self.d * rest
        return np.asarray(total, np.float64)


@dataclass(frozen=True)
class Unjudged(Measure):
    """The share of the first k ranks that hold a document without a grade (trec_eval's unj); less is better.

    >>> Unjudged(cutoff=5).score([2, 0, 3, 1, None, 0, 1])
    0.2
    """

    formula = "|unjudged in the first k| / k"
    user = "is not modelled: the share of results that were not judged"
    reference = "trec_eval 10 (unj)"

    needs_cutoff = True
    higher_is_better = False

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        assert self.cutoff is not None
        return float((~is_judged(grades[: self.cutoff])).sum() / self.cutoff)

    def scores(self, joined: Joined) -> Floats:
        assert self.cutoff is not None
        shown = np.minimum(lengths(joined), self.cutoff)[None] / self.cutoff
        return np.asarray(np.maximum(shown - Judged(cutoff=self.cutoff).scores(joined), 0.0), np.float64)
