"""Rows put together into rankings, against a dictionary of lists."""

from __future__ import annotations

import itertools

import numpy as np

from dissensus.data.join.rankings import rankings


def stretches(names: list[str]) -> tuple[list[str], np.ndarray]:
    """(the names wherever they change, the rows at which they do)."""
    groups = [(name, len(list(own))) for name, own in itertools.groupby(names)]
    return [name for name, _ in groups], np.cumsum([0, *(n for _, n in groups[:-1])])


def test_rows_of_one_ranking_come_together_in_their_order() -> None:
    rng = np.random.default_rng(0)
    for spread in (1, 5, 40):
        systems = sorted(rng.choice(["b", "a"], 40).tolist()) if spread == 40 else rng.choice(["b", "a"], 40).tolist()
        topics = np.repeat(rng.choice(["2", "1", "3"], 40 // spread + 1), spread)[:40].tolist()
        found = rankings({"row": np.arange(40)}, *stretches(systems), *stretches(topics))
        expected: dict[tuple[str, str], list[int]] = {}
        for row, key in enumerate(zip(systems, topics, strict=True)):
            expected.setdefault(key, []).append(row)
        got = {
            (found.systems[s], found.topics[t]): found.columns["row"][a:b].tolist()
            for s, t, a, b in zip(
                found.segment_system, found.segment_topic, found.bounds[:-1], found.bounds[1:], strict=True
            )
        }
        assert got == expected
        if found.origin is not None:
            assert found.origin.tolist() == found.columns["row"].tolist()


def test_rows_already_together_are_not_moved() -> None:
    column = np.arange(5)
    found = rankings({"row": column}, ["s"], np.array([0]), ["1", "2"], np.array([0, 3]))
    assert found.origin is None
    assert found.columns["row"] is column
    assert found.bounds.tolist() == [0, 3, 5]
