"""Condensed rankings: what is left when an assessor's unjudged documents are taken out (Sakai 2007)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dissensus.data.tables.collection import Joined
    from dissensus.measures.measure import Floats, Measure


def condensed_scores(measure: Measure, joined: Joined) -> Floats:
    """Scores (assessor, system, topic) of the condensed rankings."""
    out = np.full(joined.shape, np.nan)
    place = {name: i for i, name in enumerate(joined.assessors)}
    for part in condensed(joined):
        out[[place[a] for a in part.assessors]] = measure.scores(part)
    return out


def condensed(joined: Joined) -> list[Joined]:
    """Collections with every assessor's unjudged documents taken out of the rankings.

    Assessors who judged exactly the same documents share one collection; together they hold every assessor once.
    """
    judged = joined.labels >= 0
    groups: dict[bytes, list[int]] = {}  # np.unique along an axis makes a type with a field per document first
    for a, column in enumerate(np.packbits(judged, axis=0).T):
        groups.setdefault(column.tobytes(), []).append(a)
    return [_without(_columns(joined, members), judged[:, members[0]]) for members in groups.values()]


def _columns(joined: Joined, members: list[int]) -> Joined:
    return replace(
        joined,
        assessors=tuple(joined.assessors[a] for a in members),
        labels=np.ascontiguousarray(joined.labels[:, members]),
        in_topic=joined.in_topic[members],
        intents=None if joined.intents is None else joined.intents.select(slice(None), members),
    )


def _without(joined: Joined, judged: NDArray[np.bool_]) -> Joined:
    keep = judged[joined.hit_item]
    kept_before = np.r_[0, np.cumsum(keep)]
    hits = kept_before[joined.hits]
    length = np.diff(hits)
    rank = (np.arange(int(hits[-1])) - np.repeat(hits[:-1], length) + 1).astype(np.int32)
    return replace(joined, hits=hits, hit_rank=rank, hit_item=joined.hit_item[keep], length=length)
