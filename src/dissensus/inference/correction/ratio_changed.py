"""What one audited document's label does to a ratio such as nDCG, without scoring its topic again.

A ratio is a weighted sum over a number that the pool gives: X = N/D, N = Σ w·v(g). Another label of document d changes
N by w_d (v(new) − v(old)), where w_d is d's weight in the ranking (0 where it is not shown), and D to that of the pool
with one document moved from grade to grade:

    effect = N/D − (N + w_d (v(new) − v(old)))/D'.

The twin of `one_label_changed`, which scores copies of topics and serves every measure: the same numbers in a tenth of
the time, which a hundred systems and fifty thousand labels need. Not for measures whose sum is not N, such as AP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.data.tables.collection import Joined
from dissensus.inference.correction.weights import Floats, Ints
from dissensus.measures.linear import lengths, weight_table
from dissensus.measures.measure import Linear, Measure, Ratio

ROOM = 1 << 20  # effects held at a time: what fits into a core's cache is read again from there


def plain_ratio(measure: Measure) -> Ratio | None:
    """The measure itself where it is scored as a ratio of a sum and a number of the pool."""
    scored = isinstance(measure, Ratio) and not isinstance(measure, Linear) and type(measure).scores is Ratio.scores
    return measure if scored and isinstance(measure, Ratio) else None


@dataclass(frozen=True, eq=False)
class Shown:
    """The weights of some documents in every system's ranking, those that are shown, by document."""

    item: Ints
    system: Ints
    weight: Floats

    @classmethod
    def of(cls, measure: Ratio, joined: Joined, items: Ints) -> Shown:
        """`item` is the place among `items`, ascending."""
        place = np.full(len(joined.labels), -1, np.int64)
        place[items] = np.arange(len(items))
        weight, start = weight_table(measure, joined.length)
        segment = np.repeat(np.arange(len(joined.length)), np.diff(joined.hits))
        found = np.flatnonzero(place[joined.hit_item] >= 0)
        found = found[np.argsort(place[joined.hit_item[found]], kind="stable")]
        segment = segment[found]
        ranks = joined.hit_rank[found].astype(np.int64) - 1
        return cls(
            place[joined.hit_item[found]],
            joined.segment_system[segment].astype(np.int64),
            weight[start[segment] + ranks],
        )

    def between(self, start: int, stop: int, systems: int) -> Floats:
        """Systems × documents start … stop − 1."""
        rows = slice(*np.searchsorted(self.item, (start, stop)))
        out = np.zeros((systems, stop - start))
        out[self.system[rows], self.item[rows] - start] = self.weight[rows]
        return out


def ratio_effects(
    measure: Ratio, joined: Joined, levels: NDArray[np.int8], whole: Floats, items: Ints, topic: Ints
) -> Iterator[tuple[slice, Floats]]:
    """(which of `items`, their effects: levels × draws × systems × items), as `one_label_changed.effects`."""
    from dissensus.data.tables.collection import pool_counts

    draws, systems = whole.shape[:2]
    n_levels, values = len(joined.scale), measure.values(joined.scale)
    counts: NDArray[np.int64] = pool_counts(levels, joined.topic_bounds, 0, n_levels)  # topics × draws × levels
    retrieved, shown = lengths(joined), Shown.of(measure, joined, items)
    per_item = n_levels * draws * systems
    for start in range(0, len(items), max(ROOM // per_item, 1)):
        stop = min(start + max(ROOM // per_item, 1), len(items))
        mine = topic[start:stop]
        own = levels[items[start:stop], 0].astype(np.int64)
        pools, n = counts[mine].transpose(1, 0, 2), retrieved[None, :, mine]  # draws × items × levels
        before = measure.denominator(pools[:, None], n, joined.scale)
        score = whole[:, :, mine]
        total = np.where(np.isfinite(score), score * before, 0.0)
        weight = shown.between(start, stop, systems)
        others = pools.copy()
        others[:, np.arange(stop - start), own] -= 1
        out = np.empty((n_levels, draws, systems, stop - start))
        for level, one in enumerate(np.eye(n_levels, dtype=np.int64)):
            after = measure.denominator((others + one)[:, None], n, joined.scale)
            np.add(total, weight * (values[level] - values[own]), out=out[level])
            out[level] /= np.where(after == 0, np.nan, after)
        np.subtract(score, out, out=out)
        out[own, :, :, np.arange(stop - start)] = 0.0
        if np.isnan(out.sum()):  # undefined before or after: no effect
            np.nan_to_num(out, copy=False)
        yield slice(start, stop), out
