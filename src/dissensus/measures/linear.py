"""How rankings are walked: the weights of ranks laid out per ranking length, and one loop over the hits of all.

`walk` runs any measure's loop over the hits of all rankings. Loops stand beside the measure they serve (those of many
measures here), are compiled on first use and cached (`engine.compiled`), and release the interpreter's lock, so plain
threads share the rankings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Array
from dissensus.engine.walks import hits_within, linear_sums, relevant_for
from dissensus.work.settings import cores
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    from dissensus.arrays import Floats
    from dissensus.measures.measure import Ratio
    from dissensus.tables.collection import Joined
    from dissensus.tables.scale import Scale

SMALL = 2_000_000  # hits × assessors below which a second thread costs more than it saves


def log_discount(n: int) -> Floats:
    """1/log₂(r + 1) for ranks r = 1 … n.

    >>> log_discount(3).round(3).tolist()
    [1.0, 0.631, 0.5]
    """
    return np.asarray(1.0 / np.log2(np.arange(2, n + 2, dtype=np.float64)), np.float64)


def reciprocal(n: int) -> Floats:
    """1/r for ranks r = 1 … n."""
    return np.asarray(1.0 / np.arange(1, n + 1, dtype=np.float64), np.float64)


def geometric(p: float, n: int) -> Floats:
    """p^(r − 1) for ranks r = 1 … n: the chance to reach them for who goes on with probability p."""
    return np.asarray(p ** np.arange(n, dtype=np.float64), np.float64)


def lengths(joined: Joined) -> NDArray[np.int64]:
    """Documents retrieved per (system, topic), 0 where there is no ranking."""
    out = np.zeros(joined.shape[1:], np.int64)
    out[joined.segment_system, joined.segment_topic] = joined.length
    return out


def weight_table(measure: Ratio, length: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    """(weights of all rankings' ranks in one array, where each ranking's weights start).

    Most measures weigh a rank equally whatever the length of the ranking: then all rankings share the longest one's
    weights. SetP and the like do not, and have theirs laid out once per length.
    """
    distinct, which = np.unique(length, return_inverse=True)
    if not len(distinct):
        return np.empty(0), np.empty(0, np.int64)
    longest = _weights(measure, int(distinct[-1]))
    pieces, starts, total = [longest], np.zeros(len(distinct), np.int64), len(longest)
    for i, n in enumerate(distinct[:-1].tolist()):
        own = _weights(measure, n)
        if not np.array_equal(own, longest[:n]):
            starts[i] = total
            pieces.append(own)
            total += n
    return np.concatenate(pieces), starts[which]


def _weights(measure: Ratio, n: int) -> Floats:
    weights = np.array(measure.weights(n), np.float64)
    if measure.cutoff is not None:
        weights[measure.cutoff :] = 0.0
    return weights


def weighted_sums(
    joined: Joined,
    weight: Floats,
    offset: NDArray[np.int64],
    values: Floats,
    cutoff: int | None = None,
    position: NDArray[np.int32] | None = None,
) -> Floats:
    """Σ over hits of weight[offset + position − 1]·value, (segment, assessor); positions are ranks if not given."""
    if position is None and not values[joined.scale.grades <= 0].any():
        joined = joined.relevant
    place = joined.hit_rank if position is None else position
    binary = set(np.unique(values)) <= {0.0, 1.0} and bool((np.diff(values) >= 0).all())
    rel = np.int8(joined.scale.low + int(np.count_nonzero(values == 0.0))) if binary else np.int8(0)
    table = np.empty(0) if binary else by_label(values, joined.scale)
    return walk(joined, linear_sums, place, joined.hit_item, weight, offset, joined.labels, rel, table, cutoff=cutoff)


def by_label(values: Floats, scale: Scale) -> Floats:
    """Values by label + 128, labels being 8-bit numbers; 0 without a grade."""
    table = np.zeros(256)
    table[128 + scale.low : 128 + scale.low + len(values)] = values
    return table


def relevant_found(rel: int, cutoff: int | None, joined: Joined) -> Floats:
    """Relevant documents among the first `cutoff`, (assessor, system, topic)."""
    ones = np.ones(int(joined.length.max(initial=0)))
    relevant = (joined.scale.grades >= rel).astype(float)
    start = np.zeros(len(joined.length), np.int64)
    return by_system(weighted_sums(joined, ones, start, relevant, cutoff), joined)


def walk(joined: Joined, kernel: Callable[..., None], *further: object, cutoff: int | None = None) -> Floats:
    """Run a kernel over all segments' hits down to the cut-off; (segment, assessor), zero where nothing is added.

    A kernel takes the segments from `lo` to `hi`, where their hits begin and end, `further` arguments, and `out`.
    """
    first = joined.hits[:-1]
    last = joined.hits[1:] if cutoff is None else hits_within(joined.hits, joined.hit_rank, cutoff)
    out = np.zeros((len(joined.length), len(joined.assessors)))
    size = int((last - first).sum()) * len(joined.assessors)
    over_segments(len(joined.length), lambda lo, hi: kernel(lo, hi, first, last, *further, out), size)
    return out


def over_segments(n_segments: int, work: Callable[[int, int], object], size: int) -> None:
    """Run `work(lo, hi)` over all segments, in as many threads as there are cores if `size` is worth it."""
    threads = min(cores(), n_segments) if size > SMALL else 1
    if threads <= 1:
        work(0, n_segments)
        return
    # more pieces than threads: segments differ in length
    edges = [n_segments * i // (4 * threads) for i in range(4 * threads + 1)]
    on_threads(lambda edge: work(*edge), itertools.pairwise(edges), threads)


def sparse_walk(
    joined: Joined, level: int, kernel: Callable[..., None], *further: object, cutoff: int | None = None
) -> Floats:
    """`walk` for kernels that visit only labels of grade `level` or above, none below the scale: they get lists.

    What a kernel takes before `further` arguments: rank and item of hits, and the lists (`start`, `who`).
    """
    lists = relevant_lists(joined.labels, min(max(level, joined.scale.low), 127))
    return walk(joined, kernel, joined.hit_rank, joined.hit_item, *lists, *further, cutoff=cutoff)


def relevant_lists(
    labels: NDArray[np.int8], rel: int, count: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """(start, who): the columns in which item i has grade `rel` or above are who[start[i] : start[i + 1]].

    `count` of such labels, where the caller has counted them already.
    """
    level = np.int8(rel)
    start = np.empty(len(labels) + 1, np.int64)
    who = np.empty((int(np.count_nonzero(labels >= level)) if count is None else count) + 1, np.uint32)
    relevant_for(labels, level, start, who)
    return start, who


def over_pool(sums: Floats, joined: Joined, base: Array) -> Floats:
    """Sums over what each pool holds, `base` by (topic, assessor), as (assessor, system, topic); NaN over nothing."""
    return np.asarray(by_system(sums, joined) / np.where(base > 0, base, np.nan).T[:, None], np.float64)


def by_system(values: Floats, joined: Joined, missing: float = 0.0) -> Floats:
    """From (segment, assessor) to (assessor, system, topic); `missing` where a system has no ranking."""
    out = np.full((len(joined.systems), len(joined.topics), len(joined.assessors)), missing)
    out[joined.segment_system, joined.segment_topic] = values
    return out.transpose(2, 0, 1)
