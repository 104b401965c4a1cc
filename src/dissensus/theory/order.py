"""Which of two judged rankings is better before any measure is chosen.

    r ⪯ s  ⟺  for every grade and depth k:  #{j ≤ k : r_j ≥ grade} ≤ #{j ≤ k : s_j ≥ grade}

A ranking is above another when, however far one reads and wherever one draws the line of relevance, it has shown at
least as many documents above that line (Ferrante, Ferro & Maistro, ICTIR 2015). Everybody agrees on such pairs. Where
the counts contradict each other ("inversion") the rankings are not comparable, and it is the measure that decides.
Set-based retrieval has no ranks: there only the counts over the whole result matter.

Where grades are on a ratio scale (grade 2 is worth twice grade 1), relevance adds up, and `ratio=True` compares sums of
grades: a total order of sets, every two of which can then be compared (thesis §3.3.1). Rankings stay partially ordered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.aliases import described
from dissensus.errors import InputError, Option, Text
from dissensus.results import Result, Table, Tables, single_values

By = Literal["rank", "set"]
Relation = Literal["<", ">", "="]


@described
def order(r: Sequence[int], s: Sequence[int], by: By = "rank", *, ratio: bool = False) -> Relation | None:
    """Which of two judged rankings every sensible measure must prefer.

    Parameters
    ----------
    r, s
        Grades of the two rankings from the top, as many in each.
    by
        Compare depth by depth (rank), or the whole result as a set.
    ratio
        Grades are on a ratio scale (2 is worth twice 1): compare their sums.

    Returns
    -------
    str or None
        "<" below, ">" above, "=" equal, None not comparable.

    Examples
    --------
    >>> order([0, 1, 1, 2, 2], [0, 1, 1, 2, 3]), order([0, 1, 1, 2, 2], [0, 1, 1, 1, 3])
    ('<', None)
    >>> order([0, 1, 1, 2, 2], [2, 0, 1, 2, 1]), order([0, 1, 1, 2, 2], [2, 0, 1, 2, 1], by="set")
    ('<', '=')

    >>> order([0, 1, 1, 2, 2], [0, 1, 1, 1, 3], by="set"), order([0, 1, 1, 2, 2], [0, 1, 1, 1, 3], "set", ratio=True)
    (None, '=')
    """
    return compare_rankings(r, s, by, ratio=ratio).relation


MATRIX = {"depth": "ranks considered, from the top"}
CELL = "{name}: of the first ranking, how it relates, of the second; * where cells contradict each other"


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Two rankings side by side: counts at or above each grade, down to each depth, and where they contradict.

    `first[k, g]` is #{j ≤ depths[k] : r_j ≥ grades[g]}, `second` the same for s. On a ratio scale there is one column,
    the sum of grades down to each depth.
    """

    r: tuple[int, ...]
    s: tuple[int, ...]
    by: By
    depths: NDArray[np.int64]
    grades: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    ratio: bool = False

    @property
    def relation(self) -> Relation | None:
        """One of "<", ">", "=", or None where the rankings are not comparable."""
        below = bool((self.first < self.second).any())
        above = bool((self.first > self.second).any())
        if below and above:
            return None
        return "<" if below else ">" if above else "="

    @property
    def inversions(self) -> list[tuple[int, int]]:
        """(depth, grade) of the entries that contradict each other; empty where the rankings are comparable."""
        if self.relation is not None:
            return []
        rows, columns = np.nonzero(self.first != self.second)
        return [(int(self.depths[i]), int(self.grades[j])) for i, j in zip(rows, columns, strict=True)]

    @property
    def facts(self) -> dict[str, object]:
        """The single values of the result."""
        inversions = [{"depth": depth, "grade": grade} for depth, grade in self.inversions]
        comparable = self.relation is not None
        return {**single_values(self), "relation": self.relation, "comparable": comparable, "inversions": inversions}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"counts": Table.of(self._rows())}

    def _rows(self) -> pl.DataFrame:
        """One row per depth and grade: depth, grade, r, s, relation ("<", ">", "="), inversion."""
        marked = set(self.inversions)
        signs = {-1: "<", 0: "=", 1: ">"}
        return pl.DataFrame(
            [
                {
                    "depth": int(depth),
                    "grade": int(grade),
                    "r": int(self.first[i, j]),
                    "s": int(self.second[i, j]),
                    "relation": signs[int(np.sign(self.first[i, j] - self.second[i, j]))],
                    "inversion": (int(depth), int(grade)) in marked,
                }
                for i, depth in enumerate(self.depths)
                for j, grade in enumerate(self.grades)
            ]
        )

    @property
    def claims(self) -> list[str]:
        """The relation in words."""
        r, s = (" ".join(map(str, run)) for run in (self.r, self.s))
        what = "sum of grades" if self.ratio else "count"
        match self.relation:
            case "<":
                return [f"({r}) is below ({s}): no {what} is larger, some are smaller."]
            case ">":
                return [f"({r}) is above ({s}): no {what} is smaller, some are larger."]
            case "=":
                return [f"({r}) and ({s}) are equal in every {what}."]
            case _:
                some = "sums are" if self.ratio else "counts are"
                also = "others larger. The measure decides."
                return [f"({r}) and ({s}) are not comparable: some {some} smaller, {also}"]

    def screen(self, whole: bool = False) -> Tables:
        """The comparison matrix: r's count, relation, s's count; inversions marked with *."""
        rows = self._rows().with_columns(
            cell=pl.format(
                "{} {} {}{}", "r", "relation", "s", pl.when("inversion").then(pl.lit("*")).otherwise(pl.lit(""))
            )
        )
        heads = {g: "sum" if self.ratio else f"≥{g}" for g in self.grades.tolist()}
        columns = {head: rows.filter(grade=g)["cell"] for g, head in heads.items()}
        frame = pl.DataFrame({"depth": [f"≤{d}" for d in self.depths.tolist()], **columns})
        return Tables({"counts": Table.of(frame, MATRIX, rest=CELL)}, claims=self.claims)


def compare_rankings(r: Sequence[int], s: Sequence[int], by: By = "rank", *, ratio: bool = False) -> Comparison:
    """The comparison matrix of two judged rankings of equal length (thesis-style, one row per depth).

    `ratio=True`: grades are on a ratio scale, and sums of grades are compared instead of counts.
    """
    if by not in ("rank", "set"):
        raise InputError(Text(Option("by", by), ' is neither "rank" nor "set".'))
    first, second = _grades(r, "r"), _grades(s, "s")
    if len(first) != len(second):
        raise InputError(
            f"r has {len(first)} documents and s has {len(second)}; only rankings of equal length can be ordered.",
            "Pad the shorter one with grade 0 if missing documents are worth nothing, or cut the longer one.",
        )
    if not len(first):
        raise InputError("r and s are empty; there is nothing to order.")
    grades = np.zeros(1, np.int64) if ratio else np.arange(0, max(int(first.max()), int(second.max())) + 1)
    n = len(first)
    depths = np.arange(1, n + 1) if by == "rank" else np.array([n])
    return Comparison(
        r=tuple(first.tolist()),
        s=tuple(second.tolist()),
        by=by,
        depths=depths,
        grades=grades,
        first=_counts(first, grades, ratio)[depths - 1],
        second=_counts(second, grades, ratio)[depths - 1],
        ratio=ratio,
    )


def _counts(run: NDArray[np.int64], grades: NDArray[np.int64], ratio: bool) -> NDArray[np.int64]:
    return np.cumsum(run)[:, None] if ratio else np.cumsum(run[:, None] >= grades[None, :], axis=0)


def _grades(run: Sequence[int], name: str) -> NDArray[np.int64]:
    for rank, grade in enumerate(run, start=1):
        if isinstance(grade, bool) or not isinstance(grade, int | np.integer) or grade < 0:
            raise InputError(
                f"{name} has {grade!r} at rank {rank}; grades must be whole numbers of at least 0.",
                "An unjudged document has no place in the order: give it grade 0 if it counts as not relevant.",
            )
    return np.array(list(run), np.int64)
