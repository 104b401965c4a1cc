"""What one audited document's label does to the scores of its topic, all other labels as they were drawn.

A document changes the scores of its own topic only. So every audited document gets a copy of its topic in which it has
another label, and one call of the measure scores all copies: the cost is that of the topics concerned, not of the whole
collection once per document and label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.engine.walks import pool_counts
from dissensus.tables.collection import Joined

CELLS = 1 << 24  # labels that are laid out at a time

Scored = Callable[[Joined], Floats]  # labels of draws → draws × systems × topics


def effects(
    score: Scored, joined: Joined, levels: NDArray[np.int8], whole: Floats, items: Ints, topic: Ints, n_levels: int
) -> Iterator[tuple[slice, Floats]]:
    """(which of `items`, their effects: levels × draws × systems × items), some items at a time.

    An effect is the score as it is less the score with the item at that level, 0 where either is undefined. `levels`
    are those of all documents, × draws, from 0; audited `items` have one level in all draws. `joined` has their scale,
    `whole` is its score, `topic` the items' topics.
    """
    size = np.diff(joined.topic_bounds)[topic]
    others = max(n_levels - 1, 1)
    room = np.cumsum(size * levels.shape[1] * others) // CELLS
    edges = np.concatenate([[0], np.flatnonzero(np.diff(room)) + 1, [len(items)]])
    for start, stop in pairwise(edges.tolist()):
        some = slice(start, stop)
        if start < stop:
            yield some, _effects(score, joined, levels, whole, items[some], topic[some], n_levels)


def _effects(
    score: Scored, joined: Joined, levels: NDArray[np.int8], whole: Floats, items: Ints, topic: Ints, n_levels: int
) -> Floats:
    draws, systems = whole.shape[:2]
    n, steps = len(items), n_levels - 1
    own = levels[items, 0].astype(np.int64)
    other = (own[:, None] + np.arange(1, n_levels)) % n_levels  # items × steps
    copies, rows = copied(joined, topic)
    labels = np.tile(levels[rows], steps)  # rows × (steps, draws)
    labels[copies.topic_bounds[:-1] + items - joined.topic_bounds[topic]] = np.repeat(other, draws, axis=1)
    counts = np.repeat(_counted(joined, levels)[topic][:, None], steps, axis=1)  # copies × steps × draws × levels
    copy = np.arange(n)
    counts[copy, :, :, own] -= 1
    counts[copy[:, None], np.arange(steps), :, other] += 1
    scored = replace(
        copies,
        labels=labels + np.int8(joined.scale.low),
        assessors=tuple(map(str, range(steps * draws))),
        in_topic=np.ones((steps * draws, n), bool),
    )
    vars(scored)["pool_counts"] = counts.reshape(n, steps * draws, n_levels)  # a cached property: no need to count
    moved = np.nan_to_num(whole[:, :, topic] - score(scored).reshape(steps, draws, systems, n))
    out = np.zeros((n_levels, draws, systems, n))
    for step in range(steps):
        out[other[:, step], :, :, copy] = moved[step].transpose(2, 0, 1)
    return out


def _counted(joined: Joined, levels: NDArray[np.int8]) -> NDArray[np.int64]:
    """Documents per (topic, draw, level)."""
    counts: NDArray[np.int64] = pool_counts(levels, joined.topic_bounds, 0, len(joined.scale))
    return counts


def copied(joined: Joined, topic: Ints) -> tuple[Joined, Ints]:
    """(the rankings of these topics, one after the other and as often as they are named; the items behind its rows)."""
    size = np.diff(joined.topic_bounds)[topic]
    bounds = np.concatenate([[0], np.cumsum(size)])
    order = np.argsort(joined.segment_topic, kind="stable")
    sorted_topic = joined.segment_topic[order]
    first, last = (np.searchsorted(sorted_topic, topic, side) for side in ("left", "right"))
    segment = order[_ranges(first, last - first)]
    copy = np.repeat(np.arange(len(topic)), last - first)
    count = np.diff(joined.hits)[segment]
    hit = _ranges(joined.hits[:-1][segment], count)
    shift = (bounds[:-1] - joined.topic_bounds[topic])[copy]
    rows = _ranges(joined.topic_bounds[topic], size)
    copies = replace(
        joined,
        topics=tuple(joined.topics[t] for t in topic),
        segment_system=joined.segment_system[segment],
        segment_topic=copy.astype(np.int32),
        length=joined.length[segment],
        hits=np.concatenate([[0], np.cumsum(count)]).astype(np.int64),
        hit_rank=joined.hit_rank[hit],
        hit_item=(joined.hit_item[hit] + np.repeat(shift, count)).astype(np.int32),
        topic_bounds=bounds,
        labels=joined.labels[rows],
        in_topic=joined.in_topic[:, topic],
        run_rows=joined.run_rows[segment],
        intents=None,
    )
    return copies, rows


def _ranges(start: Ints, count: Ints) -> Ints:
    """start, start + 1, … (`count` of them), for each start.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    return np.asarray(np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(start - (ends - count), count), np.int64)
