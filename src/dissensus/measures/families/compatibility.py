"""Compat: how similar a ranking is to the best ranking it could have been, by rank-biased overlap.

Graded judgments and preferences both name an ideal ranking; `Compat` asks how far the run is from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.engine.sparse_walks import overlap_sums
from dissensus.errors import InputError
from dissensus.measures.linear import by_system, geometric, lengths, sparse_walk
from dissensus.measures.measure import Grades, Measure, is_judged
from dissensus.measures.parameters import flag, number
from dissensus.tables.scale import Scale

if TYPE_CHECKING:
    from dissensus.tables.collection import Joined


@dataclass(frozen=True)
class Compat(Measure):
    """Compatibility (Clarke, Vtyurina & Smucker 2021): rank-biased overlap with the ideal ranking closest to the run.

    Compat = Σ_i p^(i−1)·|A_i ∩ I_i|/i ÷ Σ_i p^(i−1)·min(i, |I|)/i over i ≤ max(N, |I|). I holds all documents with a
    grade above 0, by grade, then in the order of the run, those that were not retrieved last. `normalize=False` divides
    by Σ p^(i−1) instead.

    >>> round(Compat().score([2, 0, 3, 1, None, 0, 1], pool=[2, 0, 3, 1, 0, 1, 3, 1, 0]), 6)
    0.428516
    """

    formula = "Σ p^(i−1)·|A_i ∩ I_i|/i ÷ Σ p^(i−1)·min(i, |I|)/i"
    user = "compares the list with the best one, going on to the next rank with probability p"
    reference = "Clarke, Vtyurina & Smucker 2021"

    p: float = number(0.95, "probability to go on to the next rank", above=0, below=1)
    normalize: bool = flag(True, "divide by the overlap of the ideal ranking with itself")
    takes_cutoff = False
    needs_relevant = True

    def compute(self, grades: Grades, pool: Grades, scale: Scale) -> float:
        size = int((pool > 0).sum())
        if not size:
            return float("nan")
        counts = {g: int((pool == g).sum()) for g in set(pool[pool > 0].tolist())}
        lost = sorted(set(grades[grades > 0].tolist()) - set(counts))
        if lost:
            raise InputError(
                f"{self}: the ranking has a document of grade {lost[0]} and the pool has none.",
                "The pool holds all judged documents of the topic, those of the ranking included.",
            )
        place = {g: 1 + sum(n for other, n in counts.items() if other > g) for g in counts}
        ideal = np.zeros(len(grades), np.int64)  # rank in the ideal of each retrieved document, 0: not in it
        for r in np.flatnonzero(is_judged(grades) & (grades > 0)):
            ideal[r] = place[int(grades[r])]
            place[int(grades[r])] += 1
        total = best = weights = 0.0
        for i in range(1, max(len(grades), size) + 1):
            weight = self.p ** (i - 1)
            total += weight * np.count_nonzero((ideal[:i] > 0) & (ideal[:i] <= i)) / i
            best += weight * min(i, size) / i
            weights += weight
        return float(total / (best if self.normalize else weights))

    def scores(self, joined: Joined) -> Floats:
        scale = joined.scale
        worth = np.where(scale.grades > 0, joined.pool_counts, 0)  # (topic, assessor, grade)
        size = worth.sum(axis=-1)
        above = np.ascontiguousarray(size[..., None] - np.cumsum(worth, axis=-1))  # in better grades
        deepest = int(max(joined.length.max(initial=0), size.max(initial=0)))
        step = geometric(self.p, deepest)
        running = np.concatenate([[0.0], np.cumsum(step / np.arange(1, deepest + 1))])
        depth = np.maximum(joined.length[:, None], size[joined.segment_topic])
        sums = sparse_walk(
            joined,
            1,
            overlap_sums,
            joined.labels,
            scale.low,
            joined.segment_topic,
            above,
            depth,
            running,
        )
        whole = np.concatenate([[0.0], np.cumsum(step)])
        deep = np.maximum(lengths(joined)[None], size.T[:, None])
        relevant = size.T[:, None]
        best = whole[relevant] + relevant * (running[deep] - running[relevant]) if self.normalize else whole[deep]
        return np.asarray(by_system(sums, joined) / np.where(relevant > 0, best, np.nan), np.float64)
