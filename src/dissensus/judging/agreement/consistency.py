"""Self-consistency: does an assessor who judges a document twice say the same again?

P(g | g) for the same assessor against P(g | g) for another assessor of the same document: the first is what is left
of disagreement when the judge does not change (the question behind user disagreement). Intervals resample
the repeated judgments' documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.judging.agreement.coefficient_interval import Coefficient, Resampling, share
from dissensus.judging.label_table import Labels


@dataclass(frozen=True)
class SelfConsistency:
    """`same`: share of repeated judgments that agree; `other`: the same for two assessors of those documents.

    `table` has one row per grade: P(grade | grade) for the same assessor and for another one, with intervals.
    """

    same: Coefficient
    other: Coefficient
    n_documents: int
    n_assessors: int
    table: pl.DataFrame

    def __float__(self) -> float:
        return float(self.same)


def self_consistency(table: Labels, resampling: Resampling) -> SelfConsistency:
    """From labels among which some assessor's are of one document twice."""
    k = table.n_levels
    judge = np.cumsum(np.r_[True, (np.diff(table.item) != 0) | (np.diff(table.assessor) != 0)]) - 1
    mine = np.bincount(judge * k + table.level, minlength=(judge[-1] + 1) * k).reshape(-1, k).astype(np.float64)
    starts = np.flatnonzero(np.r_[True, np.diff(judge) > 0])
    item, who = table.item[starts], table.assessor[starts]
    twice = mine.sum(axis=1) >= 2
    documents = np.unique(item[twice])
    slot = np.searchsorted(documents, item)
    on = np.isin(item, documents)
    everyone = np.zeros((len(documents), k))
    np.add.at(everyone, slot[on], mine[on])
    own = np.zeros((len(documents), 2, k))  # pairs within any one assessor: only those who judged twice have some
    np.add.at(own, slot[twice], _pairs(mine[twice]))
    foreign = _pairs(everyone) - own

    how = replace(resampling, units="documents")
    rows = []
    for q in range(k):
        same, other = (_share(x[:, :, q], how) for x in (own, foreign))
        rows.append((table.scale.names[q], same.n, *_three(same), other.n, *_three(other)))
    columns = ["grade", "n", "same", "same_low", "same_high", "n_other", "other", "other_low", "other_high"]
    return SelfConsistency(
        same=_share(own.sum(axis=2), how),
        other=_share(foreign.sum(axis=2), how),
        n_documents=len(documents),
        n_assessors=len(np.unique(who[twice])),
        table=pl.DataFrame(rows, schema=columns, orient="row"),
    )


def _pairs(counts: Floats) -> Floats:
    """Ordered pairs of the labels in each row (agreeing, all) by the first label's grade: rows × 2 × grades."""
    return np.stack([counts * (counts - 1), counts * (counts.sum(axis=1, keepdims=True) - 1)], axis=1)


def _share(pairs: Floats, resampling: Resampling) -> Coefficient:
    """Agreeing of all ordered pairs; `.n` counts pairs."""
    return share(pairs, resampling, int(pairs[:, 1].sum()), "no pairs")


def _three(e: Coefficient) -> tuple[float, float, float]:
    return float(e), e.low, e.high
