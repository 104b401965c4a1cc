"""What the kernels and their slow twins share: the rankings of a small random collection, as arrays and as lists."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from random_collections import random_collection

from dissensus.tables.collection import Joined


def rankings(seed: int = 0, assessors: int = 3) -> Joined:
    """Rankings with unjudged documents and grades from -2 to 3, as the kernels see them."""
    return random_collection(seed, assessors).joined


def hits(joined: Joined) -> tuple[int, int, np.ndarray, np.ndarray]:
    """The first arguments of every kernel: all segments, and where the hits of each begin and end."""
    return 0, len(joined.length), joined.hits[:-1], joined.hits[1:]


def empty(joined: Joined) -> np.ndarray:
    return np.zeros((len(joined.length), len(joined.assessors)))


def listed(joined: Joined, level: int) -> tuple[np.ndarray, np.ndarray]:
    """(start, who): the assessors who gave item i at least `level` are who[start[i]:start[i + 1]]."""
    own = [[a for a, g in enumerate(row) if g >= level] for row in joined.labels.tolist()]
    start = np.cumsum([0, *(len(w) for w in own)]).astype(np.int64)
    return start, np.array([a for w in own for a in w] + [0], np.uint32)


def grades_of(joined: Joined, segment: int, assessor: int) -> list[int]:
    """The grades of one ranking from the top, -128 for a document that was never judged."""
    grades = [-128] * int(joined.length[segment])
    for h in range(int(joined.hits[segment]), int(joined.hits[segment + 1])):
        grades[joined.hit_rank[h] - 1] = int(joined.labels[joined.hit_item[h], assessor])
    return grades


def pool_of(joined: Joined, segment: int, assessor: int) -> list[int]:
    """The grades of all documents that one assessor judged for the topic of a ranking."""
    t = int(joined.segment_topic[segment])
    own = joined.labels[joined.topic_bounds[t] : joined.topic_bounds[t + 1], assessor].tolist()
    return [g for g in own if g >= 0]


def twin(joined: Joined, score: Callable[[list[int], list[int]], float]) -> np.ndarray:
    """`score(grades of the ranking, grades of the pool)`, ranking by ranking and assessor by assessor."""
    out = empty(joined)
    for s, a in np.ndindex(out.shape):
        out[s, a] = score(grades_of(joined, s, a), pool_of(joined, s, a))
    return out
