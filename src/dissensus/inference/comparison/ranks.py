"""Which ranks a system may have: confidence sets that hold the true ranks of all systems together.

The rank of a system is one more than the number of systems that are truly better. If every verdict "a beats b" of a
family of comparisons is right, it cannot be less than one more than the number of systems shown to be better, nor more
than S less the number shown to be worse:

    rank(j) ∈ [ 1 + #{k shown better than j},  S − #{k shown worse than j} ]

Comparisons adjusted together make no wrong verdict with probability `level`; with that probability all sets hold at
once, ties and near ties included, which the bootstrap of ranks cannot promise (Mogstad, Romano, Shaikh & Wilhelm 2024,
Inference for ranks with applications to mobility across neighbourhoods and academic achievement across countries,
Review of Economic Studies 91).

    >>> from dissensus.inference.comparison.difference import Difference
    >>> def pair(a, b, gap, p):
    ...     return Difference(a, b, "AP", gap, 0.01, (gap - 0.03, gap + 0.03), p, 0.95, "t", "bonferroni", 3)
    >>> pairs = [pair("A", "B", 0.01, 0.9), pair("A", "C", 0.09, 0.001), pair("B", "C", 0.08, 0.002)]
    >>> rank_sets(pairs).select("system", "rank", "low", "high").rows()
    [('A', 1, 1, 2), ('B', 2, 1, 2), ('C', 3, 3, 3)]

Not simultaneous where p-values are not adjusted for the family, or only for the share of false finds (`caution` says
so). Bonferroni's and max-t verdicts cannot point the wrong way more often than 1 − level either; for Holm's that is
proven for independent comparisons only (Shaffer 1980). Ranks are among the systems compared, on topics like these.
"""

from __future__ import annotations

import math
import string
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.inference.comparison.difference import Difference, Standing

Scores = Mapping[str, Mapping[str, float]]
LOOSE = {
    "none": "p-values are not adjusted for the number of comparisons, so the sets are too narrow",
    "bh": "bh bounds the share of false finds, not the chance of one",
}

LETTERS = 10  # more groups than this are bars only: long words of letters cannot be compared


def bounds(beats: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(lowest, highest) rank of every system; `beats[i, j]`: i was shown to be better than j.

    >>> [ends.tolist() for ends in bounds(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], bool))]
    [[1, 1, 2], [2, 3, 3]]
    """
    return 1 + beats.sum(axis=0), len(beats) - beats.sum(axis=1)


def rank_sets(pairs: Sequence[Difference], scores: Scores | None = None) -> pl.DataFrame:
    """One row per measure and system, best first: score (null where `scores` lacks it), rank, low, high.

    `rank` is one more than the number of systems ahead in the pairs' own differences; equal systems share the better
    one. A pair without an answer is undecided: it leaves both orders open, and its systems keep their places.
    """
    rows = []
    for measure in dict.fromkeys(d.measure for d in pairs):
        known = {} if scores is None else scores.get(measure, {})
        rows += _of_measure(pairs, measure, known)
    schema = {"measure": pl.String, "system": pl.String, "score": pl.Float64,
              "rank": pl.Int64, "low": pl.Int64, "high": pl.Int64}  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _of_measure(
    pairs: Sequence[Difference], measure: str, scores: Mapping[str, float]
) -> list[tuple[str, str, float | None, int | None, int, int]]:
    found = Standing.as_compared(pairs, measure)
    systems, n = found.systems, len(found.systems)
    low, high = bounds(found.beats)
    alone = found.unknown.sum(axis=0) == n - 1  # in no pair with an answer: these go last
    rank = np.where(alone & (n > 1), n + 1, 1 + found.ahead.sum(axis=0))
    return [
        (measure, systems[i], _known(scores.get(systems[i])), int(rank[i]) if rank[i] <= n else None,
         int(low[i]), int(high[i]))
        for i in np.lexsort((high, low, rank))
    ]  # fmt: skip


def _known(score: float | None) -> float | None:
    return None if score is None or math.isnan(score) else float(score)


def caution(pairs: Sequence[Difference]) -> str:
    """Why the sets do not hold all ranks together; empty where they do."""
    if len(pairs) < 2:
        return ""
    return "; ".join(LOOSE[k] for k in LOOSE if any(d.adjusted == k for d in pairs))


def claim(pairs: Sequence[Difference]) -> str:
    """What the sets promise, in one sentence."""
    loose = caution(pairs)
    if loose:
        return f"The rank sets are not simultaneous: {loose}."
    return f"With {100 * pairs[0].level:g}% confidence, every system's true rank lies in its range." if pairs else ""


def letters(
    order: Sequence[str], groups: Sequence[Sequence[str]], identical: Sequence[Sequence[str]] = ()
) -> dict[str, str]:
    """The letters of every system, from the first down; none at all where there would be too many.

    Two systems that share a letter are undecided. A system in no group has a letter that no other system has.

    >>> letters(["a", "b", "c", "d"], [["a", "b"], ["b", "c"]])
    {'a': 'a', 'b': 'ab', 'c': 'b', 'd': 'c'}
    """
    grouped = {s for g in groups for s in g}
    together = [list(g) for g in groups] + [[s for s in t if s not in grouped] for t in identical]
    together = [g for g in together if g]
    held = {s for g in together for s in g}
    together += [[s] for s in order if s not in held]
    if len(together) > LETTERS or len(together) == len(order):
        return {}
    place = {s: i for i, s in enumerate(order)}
    together.sort(key=lambda g: (min(place[s] for s in g), max(place[s] for s in g)))
    out = dict.fromkeys(order, "")
    for letter, group in zip(string.ascii_lowercase, together, strict=False):
        for s in group:
            out[s] += letter
    return out
