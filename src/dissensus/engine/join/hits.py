"""Find the judged documents of each ranking: with a dictionary where there are few, else by hashes (`joining`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.compiled import is_little

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

Hits = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]  # rank, item, bounds by ranking


def find_hits(runs: Runs, judgments: Judgments, segment_topic: NDArray[np.int32], order: NDArray[np.int64]) -> Hits:
    """(ranks, items) of the pooled documents of all rankings, which come in `order`, and the bounds of each one's."""
    if is_little(len(runs) + len(judgments.item_topic)):
        return by_name(runs, judgments, segment_topic, order)
    from dissensus.engine.join.joining import by_hash

    return by_hash(runs, judgments, segment_topic, order)


def by_name(runs: Runs, judgments: Judgments, segment_topic: NDArray[np.int32], order: NDArray[np.int64]) -> Hits:
    """The same with a dictionary: what the kernels do, said plainly."""
    pool = {pair: i for i, pair in enumerate(zip(judgments.item_topic.tolist(), judgments.doc_ids(), strict=True))}
    docs, rank, item, count = runs.ids.strings(), list[int](), list[int](), list[int]()
    for s in order.tolist():
        topic, first, last = int(segment_topic[s]), int(runs.bounds[s]), int(runs.bounds[s + 1])
        hits = [(row - first + 1, pool[topic, docs[row]]) for row in range(first, last) if (topic, docs[row]) in pool]
        rank += [k for k, _ in hits]
        item += [i for _, i in hits]
        count.append(len(hits))
    return np.array(rank, np.int32), np.array(item, np.int32), np.r_[0, np.cumsum(count)].astype(np.int64)
