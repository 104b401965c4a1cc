"""trec_eval's *_avgjg: a topic's score is the mean over the groups (assessors) that judged it, each with its own R.

A group without relevant documents counts 0. Every assessor's score is the mean, so the table repeats it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dissensus.arrays import Floats
from dissensus.measures.families.average import AP
from dissensus.measures.families.precision import P, Rprec
from dissensus.measures.measure import Binary, Grades, Measure
from dissensus.measures.parameters import number
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class GroupMean(Binary):
    """The mean over assessors of the measure `each`, which has the same parameters.

    `of` is the score of one group as a formula, `does` what its user does.
    """

    each: ClassVar[type[Measure]]

    def __init_subclass__(cls, *, of: str = "", does: str = "", **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if of:
            cls.formula = f"mean over assessors of {of}"
            cls.user = f"{does}, by the labels of an assessor chosen at random"

    def single(self) -> Measure:
        """The measure of one group."""
        return self.each(**{f.name: getattr(self, f.name) for f in fields(self)})

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        return float(np.nan_to_num(self.single().compute(grades, pool, scale)))  # one group is its own mean

    def scores(self, joined: Joined) -> Floats:
        judged = joined.in_topic[:, None, :]
        each = np.where(judged, np.nan_to_num(self.single().scores(joined)), 0.0)
        mean = each.sum(axis=0) / np.maximum(judged.sum(axis=0), 1)
        return np.broadcast_to(mean[None], joined.shape).copy()


@dataclass(frozen=True)
class AP_avgjg(GroupMean, of="AP", does="does what AP's user does"):
    """Mean over assessors of AP."""

    reference = "trec_eval (map_avgjg)"
    takes_cutoff = False
    each = AP


@dataclass(frozen=True)
class P_avgjg(GroupMean, of="P@k", does="reads k results"):
    """Mean over assessors of P@k."""

    reference = "trec_eval (P_avgjg)"
    needs_cutoff = True
    each = P


@dataclass(frozen=True)
class Rprec_avgjg(GroupMean, of="P@int(x·R + 0.9)", does="reads x·R results"):
    """Mean over assessors of Rprec(mult=x)."""

    reference = "trec_eval (Rprec_mult_avgjg)"

    mult: float = number(1.0, "multiple x of R", above=0)
    takes_cutoff = False
    each = Rprec
