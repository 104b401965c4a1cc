"""Rows in the order of a file or frame, put together into rankings: a ranking is what one system says on one topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Rankings:
    """Rankings `bounds[s]:bounds[s + 1]` of the columns; `origin`: the row each was, where rows were moved."""

    systems: tuple[str, ...]
    topics: tuple[str, ...]
    segment_system: NDArray[np.int64]
    segment_topic: NDArray[np.int64]
    bounds: NDArray[np.int64]
    columns: dict[str, NDArray[Any]]
    origin: NDArray[np.int64] | None


def rankings(
    columns: Mapping[str, NDArray[Any]],
    systems: Sequence[str],
    system_row: NDArray[np.int64],
    topics: Sequence[str],
    topic_row: NDArray[np.int64],
) -> Rankings:
    """Rows from `system_row[k]` on are of `systems[k]`, until the next; likewise topics.

    A ranking begins where the topic or the system changes; rows of one ranking that others interrupt come together.
    """
    n = len(next(iter(columns.values())))
    system_names, system_code = _codes(systems)
    topic_names, topic_code = _codes(topics)
    starts = np.union1d(topic_row, system_row)
    segment_topic = topic_code[np.searchsorted(topic_row, starts, side="right") - 1]
    segment_system = system_code[np.searchsorted(system_row, starts, side="right") - 1]
    lengths = np.diff(np.r_[starts, n])
    rows, origin = dict(columns), None
    segment = segment_system * len(topic_names) + segment_topic
    if len(np.unique(segment)) < len(segment):
        order = np.argsort(segment, kind="stable")
        before = np.cumsum(lengths[order]) - lengths[order]
        origin = np.repeat(starts[order] - before, lengths[order]) + np.arange(n)
        rows = {name: column[origin] for name, column in columns.items()}
        new = np.flatnonzero(np.r_[True, np.diff(segment[order]) != 0])
        lengths = np.add.reduceat(lengths[order], new)
        segment_system, segment_topic = segment_system[order][new], segment_topic[order][new]
    bounds = np.r_[0, np.cumsum(lengths)].astype(np.int64)
    return Rankings(system_names, topic_names, segment_system, segment_topic, bounds, rows, origin)


def _codes(names: Sequence[str]) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    position = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(position), np.array([position[name] for name in names], np.int64)
