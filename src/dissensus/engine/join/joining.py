"""Find the judged documents of each ranking: the join of runs with judgments, as a kernel.

Every topic has a small hash table of its pool (open addressing, at most a quarter full, so that few documents meet one
that is not theirs). A retrieved document is looked up by its 64-bit hash; where hashes agree the ids' bytes are
compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.engine.join.concatenate import copy_stretches
from dissensus.engine.machine_code import njit
from dissensus.engine.raw_memory import address_of, compare_spans, refuse_outside
from dissensus.work.threads import on_threads

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs


def by_hash(
    runs: Runs, judgments: Judgments, segment_topic: NDArray[np.int32], order: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """(ranks, items) of the pooled documents of all rankings, which come in `order`, and the bounds of each one's."""
    table, table_start = build_tables(judgments.item_key, judgments.topic_bounds)
    pool = judgments.item_ids.packed()
    pool_start = pool.start.astype(np.int64, copy=False)
    hit_count = np.zeros(len(segment_topic), np.int64)
    # a block: the rankings whose ids lie in one text, usually one run file
    blocks = np.searchsorted(runs.bounds, runs.ids.bounds)

    def one_block(b: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        here, ids = slice(blocks[b], blocks[b + 1]), runs.ids.texts[b]
        bounds, topics = runs.bounds[blocks[b] : blocks[b + 1] + 1] - runs.ids.bounds[b], segment_topic[here]
        rows = int(np.diff(bounds)[topics >= 0].sum())
        rank, item = np.empty(rows, np.int32), np.empty(rows, np.int32)
        found = join_segments(
            bounds, topics, ids.key, ids.text, ids.start, ids.length,
            table, table_start, judgments.item_key, pool.text, pool_start, pool.length,
            rank, item, hit_count[here],
        )  # fmt: skip
        return rank[:found], item[:found]

    parts = on_threads(one_block, range(len(runs.ids.texts)))
    hits = np.r_[0, np.cumsum(hit_count[order])].astype(np.int64)
    target = np.zeros(len(hit_count), np.int64)
    target[order] = hits[:-1]
    ranks, items = np.empty(hits[-1], np.int32), np.empty(hits[-1], np.int32)

    def in_place(b: int) -> None:
        here = slice(blocks[b], blocks[b + 1])
        first = np.cumsum(hit_count[here]) - hit_count[here]
        for part, whole in zip(parts[b], (ranks, items), strict=True):
            copy_stretches(part, first, target[here], hit_count[here], whole)

    on_threads(in_place, range(len(parts)))
    return ranks, items, hits


@njit(nogil=True)
def build_tables(keys, bounds):  # type: ignore[no-untyped-def]
    """Hash tables of all topics in one array: (table of item numbers or −1, start of each topic's table)."""
    n_topics = len(bounds) - 1
    starts = np.zeros(n_topics + 1, np.int64)
    for t in range(n_topics):
        size = 1
        while size < 4 * (bounds[t + 1] - bounds[t]):
            size *= 2
        starts[t + 1] = starts[t] + size
    table = np.full(starts[n_topics], -1, np.int32)
    for t in range(n_topics):
        mask = np.uint64(starts[t + 1] - starts[t] - 1)
        for item in range(bounds[t], bounds[t + 1]):
            slot = keys[item] & mask
            while table[starts[t] + np.int64(slot)] >= 0:
                slot = (slot + np.uint64(1)) & mask
            table[starts[t] + np.int64(slot)] = item
    return table, starts


@njit(nogil=True)
def candidates(first, last, row_key, table, base, mask, rows):  # type: ignore[no-untyped-def]
    """The rows whose place in the topic's table is taken, put into `rows`; how many they are.

    Written always, kept if taken: half of all documents are pooled, and a branch would be guessed wrong as often.
    """
    n = 0
    for row in range(first, last):
        rows[n] = row
        n += table[base + np.int64(row_key[row] & mask)] >= 0
    return n


@njit(nogil=True)
def join_segments(  # type: ignore[no-untyped-def]
    bounds, segment_topic, row_key, text, text_start, text_length,
    table, table_start, item_key, item_text, item_start, item_length,
    hit_rank, hit_item, hit_count,
):  # fmt: skip
    """Ranks and items of the pooled documents of all segments, one after the other; the number of hits per segment.

    `segment_topic` is the topic of each segment in the judgments, −1 if it was not judged.
    """
    refuse_outside(len(text), text_start, text_length, 0)
    refuse_outside(len(item_text), item_start, item_length, 0)
    run_ids, pool_ids = address_of(text), address_of(item_text)
    longest = 0
    for s in range(len(segment_topic)):
        longest = max(longest, bounds[s + 1] - bounds[s])
    rows = np.empty(longest + 1, np.int64)
    found = 0
    for s in range(len(segment_topic)):
        before = found
        topic = segment_topic[s]
        if topic >= 0:
            base, first = table_start[topic], bounds[s]
            mask = np.uint64(table_start[topic + 1] - base - 1)
            for i in range(candidates(first, bounds[s + 1], row_key, table, base, mask, rows)):
                row = rows[i]
                key, n = row_key[row], text_length[row]
                slot = key & mask
                item = table[base + np.int64(slot)]
                while item >= 0:
                    if item_key[item] == key and item_length[item] == n:  # the hash alone never decides
                        here, there = run_ids + np.int64(text_start[row]), pool_ids + np.int64(item_start[item])
                        if compare_spans(here, np.int64(n), there, np.int64(n)) == 0:
                            hit_rank[found] = row - first + 1
                            hit_item[found] = item
                            found += 1
                            break
                    slot = (slot + np.uint64(1)) & mask
                    item = table[base + np.int64(slot)]
        hit_count[s] = found - before
    return found
