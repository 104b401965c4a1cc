"""`ties="expected"`: the mean score over all orders of tied documents.

- linear measures and ratios: exact; a tied document has the mean weight of the ranks its group covers;
- AP, GAP, NCP, RR, Success, Rprec, ESL: exact, in closed form (McSherry & Najork 2008; Cooper 1968);
- all others: the mean of `ORDERS` seeded random orders, with its standard error in the variable `NAME.se`.

`Measure.expected` names which of them a measure has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.measures.linear import by_system, over_pool, walk, weight_table, weighted_sums
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    from dissensus.arrays import Floats
    from dissensus.measures.families.average import AP, GAP, NCP
    from dissensus.measures.families.cascade import ESL, RR
    from dissensus.measures.families.precision import Rprec, Success
    from dissensus.measures.measure import Measure, Ratio
    from dissensus.tables.collection import Joined

ORDERS = 1000
FAR = np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class TieGroups:
    """For every hit: the first rank of the group of tied documents it belongs to, and the size of the group."""

    start: NDArray[np.int64]
    size: NDArray[np.int64]


def tie_groups(joined: Joined) -> TieGroups:
    """The groups of tied documents of all rankings."""
    score, bounds = joined.runs.score, joined.runs.bounds
    fresh = np.r_[True, score[1:] != score[:-1]] if len(score) else np.empty(0, bool)
    fresh[bounds[:-1][bounds[:-1] < len(score)]] = True
    starts = np.flatnonzero(fresh)
    sizes = np.diff(np.r_[starts, len(score)])
    rows = np.repeat(joined.run_rows, np.diff(joined.hits)) + joined.hit_rank - 1
    group = np.searchsorted(starts, rows, side="right") - 1
    before = rows - starts[group]  # documents of the group above this one
    return TieGroups(joined.hit_rank - before, sizes[group])


def expected_scores(measure: Measure, joined: Joined, seed: int = 0) -> tuple[Floats, Floats | None]:
    """(expected scores, their standard error where they come from sampled orders)."""
    groups = tie_groups(joined)
    exact = measure.expected(joined, groups)
    return (exact, None) if exact is not None else _sampled(measure, joined, groups.start, groups.size, seed)


def expected_ratio(measure: Ratio, joined: Joined, groups: TieGroups) -> Floats:
    """Linear given the pool: a tied document has the mean weight of the ranks its group covers."""
    start, size = groups.start, groups.size
    weight, offset = weight_table(measure, joined.length)
    running = np.r_[0.0, np.cumsum(weight)]
    first = np.repeat(offset, np.diff(joined.hits)) + start - 1
    mean = (running[first + size] - running[first]) / size
    position = np.arange(1, len(mean) + 1, dtype=np.int32)
    sums = weighted_sums(
        joined, mean, np.zeros(len(joined.length), np.int64), measure.values(joined.scale), None, position
    )
    return np.divide(by_system(sums, joined), measure.denominators(joined))


def expected_rprec(measure: Rprec, joined: Joined, groups: TieGroups) -> Floats:
    """Of a group that reaches across rank R, the share within R counts."""
    start, size = groups.start, groups.size
    depth = measure.ranks(measure.in_pool(joined))  # (topic, assessor)
    topic = np.repeat(joined.segment_topic, np.diff(joined.hits))
    share = np.clip(depth[topic] - start[:, None] + 1, 0, size[:, None]) / size[:, None]
    inside = share * (joined.labels[joined.hit_item] >= measure.rel)
    running = np.vstack([np.zeros(inside.shape[1]), np.cumsum(inside, axis=0)])
    sums = running[joined.hits[1:]] - running[joined.hits[:-1]]
    return np.divide(by_system(sums, joined), measure.denominators(joined))


def expected_precision(measure: AP | NCP, joined: Joined, groups: TieGroups) -> Floats:
    """McSherry & Najork 2008."""
    from dissensus.engine.tied_walks import expected_precision as kernel

    sums = _walk(joined, kernel, groups, np.int8(measure.rel), measure.cutoff or FAR)
    return over_pool(sums, joined, measure.in_pool(joined))


def expected_graded(measure: GAP, joined: Joined, groups: TieGroups) -> Floats:
    """AP's closed form, grade by grade."""
    from dissensus.engine.tied_walks import expected_graded as kernel

    q = measure.chances(joined.scale)
    sums = _walk(joined, kernel, groups, joined.scale.low, q, measure.cutoff or FAR)
    return over_pool(sums, joined, joined.pool_counts @ q)


def expected_first(measure: RR | Success, joined: Joined, groups: TieGroups) -> tuple[Floats, Floats]:
    """(E 1/rank of the first relevant document, P(it is within the cut-off))."""
    from dissensus.engine.tied_walks import expected_first as kernel

    found = np.zeros((len(joined.length), len(joined.assessors)))
    reciprocal = _walk(joined, kernel, groups, np.int8(measure.rel), measure.cutoff or FAR, found)
    return by_system(reciprocal, joined), by_system(np.minimum(found, 1.0), joined)


def _walk(joined: Joined, kernel: Callable[..., None], groups: TieGroups, *further: object) -> Floats:
    """Run a kernel over groups of tied hits; it minds the cut-off, which may fall within a group, itself."""
    return walk(joined, kernel, groups.start, groups.size, joined.hit_item, joined.labels, *further)


def expected_length(measure: ESL, joined: Joined, groups: TieGroups) -> Floats:
    """Cooper: j + i·q/(r + 1), the q-th relevant document falling into a group with r relevant, i others, j before."""
    start, size = groups.start, groups.size
    out = measure.scores(joined)  # where the n-th relevant document was not retrieved, ties do not matter
    for s, (system, topic) in enumerate(zip(joined.segment_system, joined.segment_topic, strict=True)):
        hits = slice(joined.hits[s], joined.hits[s + 1])
        relevant = joined.labels[joined.hit_item[hits]] >= measure.rel
        running = np.cumsum(relevant, axis=0)
        for a in np.flatnonzero(relevant.sum(axis=0) >= measure.n) if len(relevant) else ():
            h = int(np.searchsorted(running[:, a], measure.n))
            here = start[hits] == start[hits][h]
            inside = int(relevant[here, a].sum())
            earlier = int(running[h, a]) - int(relevant[here, a][: int(here[: h + 1].sum())].sum())
            first, n = int(start[hits][h]), int(size[hits][h])
            if not np.isnan(out[a, system, topic]):
                out[a, system, topic] = (first - 1 - earlier) + (n - inside) * (measure.n - earlier) / (inside + 1)
    return out


def _sampled(
    measure: Measure, joined: Joined, start: NDArray[np.int64], size: NDArray[np.int64], seed: int
) -> tuple[Floats, Floats]:
    mean = measure.scores(joined).copy()
    error = np.where(np.isnan(mean), np.nan, 0.0)
    tied = np.add.reduceat(np.r_[size > 1, False], joined.hits[:-1]) if len(joined.length) else np.empty(0)
    tied = np.where(np.diff(joined.hits) > 0, tied, 0)
    for s in np.flatnonzero(tied):
        hits = slice(int(joined.hits[s]), int(joined.hits[s + 1]))
        name = f"{joined.topics[joined.segment_topic[s]]}\0{joined.systems[joined.segment_system[s]]}".encode()
        key = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")  # whatever the ranking is beside
        orders = _random_ranks(start[hits], size[hits], generator(seed, key & 0xFFFFFFFF, key >> 32))
        scores = measure.scores(_as_systems(joined, int(s), orders))[:, :, 0]
        place = (slice(None), joined.segment_system[s], joined.segment_topic[s])
        equal = np.ptp(scores, axis=1) == 0  # then there is no error, and none from rounding the mean either
        mean[place] = np.where(equal, scores[:, 0], scores.mean(axis=1))
        error[place] = np.where(equal, 0.0, scores.std(axis=1, ddof=1) / np.sqrt(ORDERS))
    return mean, error


def _random_ranks(start: NDArray[np.int64], size: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int32]:
    """Ranks of the hits of one ranking in `ORDERS` random orders of its tied groups: (order, hit)."""
    ranks = np.empty((ORDERS, len(start)), np.int32)
    groups, firsts, counts = np.unique(start, return_index=True, return_counts=True)
    for group, first, count in zip(groups, firsts, counts, strict=True):
        places = np.argsort(rng.random((ORDERS, int(size[first]))), axis=1)[:, :count]
        ranks[:, first : first + count] = group + places
    return ranks


def _as_systems(joined: Joined, segment: int, ranks: NDArray[np.int32]) -> Joined:
    """One ranking in many orders, dressed as a collection with as many systems and one topic."""
    topic = int(joined.segment_topic[segment])
    items = slice(int(joined.topic_bounds[topic]), int(joined.topic_bounds[topic + 1]))
    hit_item = joined.hit_item[joined.hits[segment] : joined.hits[segment + 1]] - items.start
    order = np.argsort(ranks, axis=1, kind="stable")
    n_orders, n_hits = ranks.shape
    return replace(
        joined,
        systems=tuple(str(i) for i in range(n_orders)),
        topics=(joined.topics[topic],),
        segment_system=np.arange(n_orders, dtype=np.int32),
        segment_topic=np.zeros(n_orders, np.int32),
        length=np.full(n_orders, joined.length[segment]),
        hits=np.arange(n_orders + 1, dtype=np.int64) * n_hits,
        hit_rank=np.take_along_axis(ranks, order, axis=1).reshape(-1),
        hit_item=hit_item[order].reshape(-1).astype(np.int32),
        topic_bounds=np.array([0, items.stop - items.start], np.int64),
        labels=np.ascontiguousarray(joined.labels[items]),
        in_topic=joined.in_topic[:, topic : topic + 1],
        intents=None if joined.intents is None else joined.intents.select(items, range(len(joined.assessors))),
    )
