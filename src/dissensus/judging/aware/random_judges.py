"""Random judges: what scores look like when no document is read.

Three classes (und, uni, ovr): each judged document is relevant with probability .05, .5 or .95, whatever it says. On a
graded scale `uni` gives every grade the same probability, `und` the bottom and `ovr` the top grade with probability
.95, the rest evenly. A random judge labels exactly the documents of the assessor it is held against; assessors who
judged the same documents share their replicates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats
from dissensus.measures.condense import condensed, condensed_scores
from dissensus.measures.measure import Measure
from dissensus.tables.collection import Joined
from dissensus.tables.scale import UNJUDGED, Scale
from dissensus.work.seeds import generator

CLASSES = ("und", "uni", "ovr")
MASS = 0.95  # of the bottom grade for und, of the top grade for ovr
BLOCK = 250  # replicates made and scored at a time; fixed, so that results depend on the seed alone


def random_labels(
    like: NDArray[np.int8], kind: str, scale: Scale, n: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Labels of n random judges, documents × judges, where `like` has a grade; elsewhere what `like` has.

    >>> rng = np.random.default_rng(0)
    >>> labels = random_labels(np.array([1, UNJUDGED, 0], np.int8), "ovr", Scale.range(0, 1), 99_000, rng)
    >>> (labels[1] == UNJUDGED).all(), round(float(labels[0].mean()), 2)
    (np.True_, 0.95)
    """
    k = len(scale)
    judged = like >= 0
    draw = rng.random((int(judged.sum()), n), dtype=np.float32)
    if kind == "uni":
        level = np.minimum(draw * np.float32(k), k - 1).astype(np.int8)
    else:  # levels counted away from the favoured grade
        level = np.zeros(draw.shape, np.int8)
        other = draw >= np.float32(MASS)
        rest = np.clip((draw[other] - np.float32(MASS)) * np.float32((k - 1) / (1 - MASS)), 0, k - 2 + 0.5)
        level[other] = (1 + rest).astype(np.int8)
        if kind == "ovr":
            np.subtract(np.int8(k - 1), level, out=level)
    level += np.int8(scale.low)
    if judged.all():
        return np.asarray(level, np.int8)
    out: NDArray[np.int8] = np.repeat(like[:, None], n, axis=1)
    out[judged] = level
    return out


@dataclass(frozen=True, eq=False)
class Variants:
    """Which documents were judged, told apart topic by topic.

    `of[a, t]` is the variant of assessor a in topic t, −1 where it has no label there. Variant v takes, in every topic,
    that topic's v-th distinct set of judged documents: as many variants as the topic with the most sets has.
    """

    of: NDArray[np.int64]
    columns: NDArray[np.int8]  # documents × variants: a grade (0) where judged, else unjudged or below zero

    @cached_property
    def groups(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """(assessors, topics) that share all their judged sets."""
        rows, which = np.unique(self.of, axis=0, return_inverse=True)
        which = which.reshape(-1)
        return [(np.flatnonzero(which == g), np.flatnonzero(row >= 0)) for g, row in enumerate(rows)]


def variants(joined: Joined) -> Variants:
    """The distinct sets of judged documents of a collection's assessors."""
    pattern = np.where(joined.labels >= 0, np.int8(0), joined.labels)
    of = np.full((len(joined.assessors), len(joined.topics)), -1, np.int64)
    found: list[list[NDArray[np.int8]]] = []
    for t in range(len(joined.topics)):
        rows = pattern[joined.topic_bounds[t] : joined.topic_bounds[t + 1]]
        sets: list[NDArray[np.int8]] = []
        seen: dict[bytes, int] = {}
        for a in np.flatnonzero(joined.in_topic[:, t] & (rows == 0).any(axis=0)):
            column = np.ascontiguousarray(rows[:, a])
            of[a, t] = seen.setdefault(column.tobytes(), len(seen))
            if of[a, t] == len(sets):
                sets.append(column)
        found.append(sets)
    columns = np.full((len(pattern), max((len(s) for s in found), default=0)), UNJUDGED, np.int8)
    for t, sets in enumerate(found):
        for v, column in enumerate(sets):
            columns[joined.topic_bounds[t] : joined.topic_bounds[t + 1], v] = column
    return Variants(of, columns)


def judged_alike(joined: Joined) -> bool:
    """Did all assessors judge the same documents in every topic they judged?"""
    return bool(variants(joined).columns.shape[1] <= 1)


def scores_of(joined: Joined, measure: Measure, condense: bool) -> Floats:
    """Scores (assessor, system, topic): 0 where nothing is relevant, NaN where the assessor judged nothing."""
    out = condensed_scores(measure, joined) if condense else measure.scores(joined)
    return np.where(joined.in_topic[:, None, :], np.nan_to_num(out, nan=0.0), np.nan)


def bare_rankings(joined: Joined, which: Variants, condense: bool) -> list[Joined]:
    """The rankings each variant's random judges are to score, once for all blocks."""
    bare = []
    for v in range(which.columns.shape[1]):
        alone = joined.with_labels(which.columns[:, v : v + 1], ["random"])
        bare.append(condensed(alone)[0] if condense else alone)
    return bare


def block_scores(
    bare: list[Joined], measure: Measure, which: Variants, *, kind: str, block: int, n: int, seed: int
) -> list[Floats]:
    """Scores (judge, system, topic) of one block of random judges of a class, for every variant."""
    scored = []
    names = tuple(str(i) for i in range(n))
    for v, alone in enumerate(bare):
        rng = generator(seed, CLASSES.index(kind), v, block)
        labels = random_labels(which.columns[:, v], kind, alone.scale, n, rng)
        # all of them judge what `alone` judged, so the topics need not be looked for again
        crowd = replace(alone, labels=labels, assessors=names, in_topic=np.repeat(alone.in_topic, n, axis=0))
        scored.append(np.nan_to_num(measure.scores(crowd), nan=0.0))
    return scored
