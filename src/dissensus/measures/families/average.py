"""Average precision and the two ways it has been widened: other stopping users, and graded relevance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.walks import graded_sums, listed_precision_sums, precision_sums
from dissensus.errors import Fix, MeasureError, Option
from dissensus.measures.bounds import average_bounds
from dissensus.measures.linear import by_system, over_pool, relevant_found, relevant_lists, walk
from dissensus.measures.measure import Binary, Grades, Measure, count_grades, is_judged
from dissensus.measures.parameters import choice, gain_table, gains_of, relevance, table
from dissensus.measures.ties import expected_graded, expected_precision
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.measures.ties import TieGroups
    from dissensus.tables.collection import Joined

MANY, SPARSE = 16, 0.25  # with at least so many assessors, and at most this share of relevant labels, lists are quicker


@dataclass(frozen=True)
class AP(Binary):
    """Average precision: the mean, over the topic's R relevant documents, of the precision where each was found.

    AP = (1/R) Σ_{relevant ranks r ≤ k} P@r; documents not found count 0. AP@k divides by R, not by min(R, k).

    >>> round(AP().score([0] * 5 + [1, 0, 0, 1, 1], pool=[1] * 9 + [0] * 7), 4)
    0.0765
    """

    formula = "(1/R) Σ over relevant ranks r of P@r"
    user = "stops at a relevant document chosen at random, and looks at precision there"
    reference = "Buckley & Voorhees 2000; Robertson 2008"

    needs_relevant = True

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_precision(self, joined, groups)

    def bounds(self, joined: Joined) -> dict[str, Floats]:
        return average_bounds(self, joined)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = grades[: self.cutoff] >= self.rel
        base = int((pool >= self.rel).sum())
        precision = np.cumsum(relevant) / np.arange(1, len(relevant) + 1)
        return float(precision[relevant].sum() / base) if base else float("nan")

    def scores(self, joined: Joined) -> Floats:
        return over_pool(precision_sums_of(self.rel, self.cutoff, joined), joined, self.in_pool(joined))


def precision_sums_of(rel: int, cutoff: int | None, joined: Joined) -> Floats:
    """Σ of the precision at relevant ranks, (segment, assessor)."""
    joined = joined.relevant if rel > 0 else joined
    hits, labels, level = (joined.hit_rank, joined.hit_item), joined.labels, np.int8(rel)
    relevant = int(np.count_nonzero(labels >= level))
    if labels.shape[1] < MANY or relevant > SPARSE * labels.size:
        return walk(joined, precision_sums, *hits, labels, level, cutoff=cutoff)
    lists = relevant_lists(labels, rel, relevant)
    return walk(joined, listed_precision_sums, *hits, *lists, cutoff=cutoff)


@dataclass(frozen=True)
class NCP(Measure):
    """Normalised cumulative precision: the expected precision where a user stops (Robertson 2008).

    `stop="uniform"`: at any relevant document of the topic with equal chances, which is AP; `stop="retrieved"`: at any
    relevant document that was retrieved, so that documents not found cost nothing.
    """

    formula = "E[precision where the user stops]"
    user = "stops at a relevant document chosen at random, perhaps only among those retrieved"
    reference = "Robertson 2008"

    stop: str = choice("uniform", "which relevant documents the user may stop at", "uniform", "retrieved")
    rel: int = relevance()
    needs_relevant = True

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        if self.stop == "uniform":
            return expected_precision(self, joined, groups)
        if self.cutoff is not None:
            return None  # how many relevant documents are above the cut-off depends on the order, too
        relevant = self.in_pool(joined).T[:, None]
        return (
            expected_precision(self, joined, groups) * relevant / np.maximum(relevant_found(self.rel, None, joined), 1)
        )

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        ap = AP(rel=self.rel, cutoff=self.cutoff).compute(grades, pool, scale)
        if self.stop == "uniform" or np.isnan(ap):
            return ap
        found = int((grades[: self.cutoff] >= self.rel).sum())
        return ap * int((pool >= self.rel).sum()) / found if found else 0.0

    def scores(self, joined: Joined) -> Floats:
        ap = AP(rel=self.rel, cutoff=self.cutoff).scores(joined)
        if self.stop == "uniform":
            return ap
        total = by_system(precision_sums_of(self.rel, self.cutoff, joined), joined)
        return np.where(np.isnan(ap), np.nan, total / np.maximum(relevant_found(self.rel, self.cutoff, joined), 1))


@dataclass(frozen=True)
class GAP(Measure):
    """Graded average precision (Robertson, Kanoulas & Yilmaz 2010).

    q_g is the probability that a user counts grade g as relevant (q of the bottom grade 0):
    GAP = Σ_k (1/k) Σ_{κ≤k} min(q_κ, q_k) / Σ_{pool} q. Plain GAP takes q_g = g/G. With q = 1 for the top grade only it
    is AP at the top grade.
    """

    formula = "Σ_k (1/k) Σ_{κ≤k} min(q_κ, q_k) / Σ_pool q"
    user = "draws a personal threshold between the grades, then behaves as for AP"
    reference = "Robertson, Kanoulas & Yilmaz 2010"

    gains: Any = table("probability that a user counts a grade as relevant, by grade")  # noqa: RUF009
    needs_relevant = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gains is not None and not all(0 <= v <= 1 for _, v in gains_of(self.gains)):
            raise MeasureError(f"{self}: the gains of GAP are probabilities, between 0 and 1.")
        if self.gains is not None and abs(max((v for _, v in gains_of(self.gains)), default=1.0) - 1) > 1e-9:
            raise MeasureError(
                f"{self}: no grade has the gain 1, so even a perfect ranking would score less than 1.",
                Fix(
                    "Weights from user disagreement suit GAP with ",
                    Option("at_least", 1),
                    " only; nDCG takes any.",
                    reader="python",
                ),
                Fix("Make gains that suit GAP with dissensus weights --at-least 1; nDCG takes any.", reader="command"),
            )

    def needs_top(self) -> bool:
        return self.gains is None

    def chances(self, scale: Scale) -> Floats:
        """q per grade of the scale, lowest first."""
        if self.gains is None:
            return scale.grades / scale.top if scale.top else np.zeros(1)
        q = gain_table(self.gains, scale, self)
        if q[0] != 0 or abs(q[-1] - 1) > 1e-9:
            bottom, top = scale.name(int(scale.grades[0])), scale.name(int(scale.grades[-1]))
            raise MeasureError(
                f"{self}: the gain of the bottom grade {bottom} must be 0 and that of the top grade {top} must be 1; "
                f"they are {q[0]:g} and {q[-1]:g}.",
                "Otherwise documents without merit count, or a perfect ranking scores less than 1.",
            )
        return q

    def expected(self, joined: Joined, groups: TieGroups) -> Floats | None:
        return expected_graded(self, joined, groups)

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        q = self.chances(scale)
        base = float(count_grades(pool, scale) @ q)
        if not base:
            return float("nan")
        top = grades[: self.cutoff]
        judged = is_judged(top)
        ranks = np.flatnonzero(judged) + 1
        own = q[top[judged].astype(np.int64) - scale.low]
        return float(sum(np.minimum(own[: i + 1], own[i]).sum() / k for i, k in enumerate(ranks)) / base)

    def scores(self, joined: Joined) -> Floats:
        q = self.chances(joined.scale)
        sums = walk(
            joined,
            graded_sums,
            joined.hit_rank,
            joined.hit_item,
            joined.labels,
            joined.scale.low,
            q,
            cutoff=self.cutoff,
        )
        return over_pool(sums, joined, joined.pool_counts @ q)
