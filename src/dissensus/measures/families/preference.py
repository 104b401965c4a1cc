"""bpref: does the ranking put relevant documents above judged non-relevant ones? (Buckley & Voorhees 2004)

Unjudged documents are skipped, so bpref moves little when judgments are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.walks import bpref_sums
from dissensus.measures.linear import over_pool, walk
from dissensus.measures.measure import Binary, Grades
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class Bpref(Binary):
    """(1/R) Σ over relevant retrieved documents of 1 − min(n, R)/min(N, R).

    n judged non-relevant documents are above, N are in the pool; the term is 1 when n = 0.

    >>> Bpref().score([1, 0, 1], pool=[1, 1, 0, 0])
    0.75
    """

    formula = "(1/R) Σ over relevant retrieved of 1 − min(n, R)/min(N, R)"
    user = "looks only at judged documents: how many non-relevant ones are above relevant ones"
    reference = "Buckley & Voorhees 2004"

    takes_cutoff = False
    needs_relevant = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        relevant = int((pool >= self.rel).sum())
        if not relevant:
            return float("nan")
        bound = min(int((pool >= 0).sum()) - relevant, relevant)
        above = np.cumsum((grades >= 0) & (grades < self.rel))[grades >= self.rel]
        terms = [1.0 - min(int(n), relevant) / bound if n else 1.0 for n in above]
        return float(sum(terms) / relevant)

    def scores(self, joined: Joined) -> Floats:
        relevant = self.in_pool(joined)
        bound = np.minimum(joined.pool_counts.sum(axis=-1) - relevant, relevant)
        own_bound = bound[joined.segment_topic].astype(float)
        own_relevant = relevant[joined.segment_topic].astype(float)
        sums = walk(joined, bpref_sums, joined.hit_item, joined.labels, np.int8(self.rel), own_bound, own_relevant)
        return over_pool(sums, joined, relevant)
