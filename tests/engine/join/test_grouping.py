"""Judgments sorted into items, against Python's sort."""

from __future__ import annotations

import numpy as np

from dissensus.engine.join.grouping import group


def test_rows_are_sorted_by_id_assessor_and_arrival_within_their_topic() -> None:
    rng = np.random.default_rng(0)
    names = ["FT911-1", "FT911-12", "FT911-123456789", "FT911-", "é", "FT911-1234567", "z" * 40]
    ids = [names[i].encode() for i in rng.integers(0, len(names), 90)]
    topic, who = np.sort(rng.integers(0, 3, 90)), rng.integers(0, 3, 90).astype(np.int32)
    length = np.array([len(i) for i in ids], np.uint16)
    start = np.r_[0, np.cumsum(length.astype(np.int64))[:-1]]
    text = np.frombuffer(b"".join(ids) + b"\0" * 8, np.uint8).copy()
    rows = np.arange(90)
    bounds = np.searchsorted(topic, np.arange(4)).astype(np.int64)
    item = group(rows, bounds, text, start, length, who)
    assert rows.tolist() == sorted(range(90), key=lambda r: (topic[r], ids[r], who[r], r))
    keys = [(topic[r], ids[r]) for r in rows]
    assert item.tolist() == [sorted(set(keys)).index(k) for k in keys]
