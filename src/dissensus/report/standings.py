"""The order of systems as one table: place, score with its interval, the letters of its groups, the ranks it may have.

    >>> letters(["a", "b", "c", "d"], [["a", "b"], ["b", "c"]])
    {'a': 'a', 'b': 'ab', 'c': 'b', 'd': 'c'}

Systems that share a letter cannot be told apart; a system in no group has a letter that no other system has.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.difference import Difference

LETTERS = 10  # more groups than this are bars only: long words of letters cannot be compared
Shown = Literal["pooled", "corrected", "naive", "behind"]
Interval = tuple[float, float, float]


def standings(
    order: Sequence[str],
    values: Mapping[str, Interval],
    groups: Sequence[Sequence[str]],
    identical: Sequence[Sequence[str]],
    ranks: pl.DataFrame | None,
) -> pl.DataFrame:
    """Table place, system, score, low, high, groups, best rank, worst rank; identical systems share a place."""
    import polars as pl

    place = {s: i for i, s in enumerate(order, start=1)}
    for twins in identical:
        place |= dict.fromkeys(twins, min(place[s] for s in twins))
    named = letters(order, groups, identical)
    sets = {} if ranks is None else {r["system"]: (r["low"], r["high"]) for r in ranks.iter_rows(named=True)}
    nothing = (float("nan"),) * 3
    rows = [
        (place[s], s, *values.get(s, nothing), named.get(s, ""), *sets.get(s, (None, None)))
        for s in order
    ]  # fmt: skip
    schema = {
        "place": pl.Int64, "system": pl.String, "score": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "groups": pl.String, "best rank": pl.Int64, "worst rank": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def letters(
    order: Sequence[str], groups: Sequence[Sequence[str]], identical: Sequence[Sequence[str]] = ()
) -> dict[str, str]:
    """The letters of every system, from the first down; none at all where there would be too many."""
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


def behind(
    order: Sequence[str], pairs: Sequence[Difference], identical: Sequence[Sequence[str]]
) -> dict[str, Interval]:
    """(difference, low, high) of every system minus the first, from tested differences; 0 where identical to it."""
    first = order[0]
    same = next((twins for twins in identical if first in twins), [first])
    out: dict[str, Interval] = dict.fromkeys(same, (0.0, 0.0, 0.0))
    for d in pairs:
        if first in (d.a, d.b) and not {d.a, d.b} <= set(same):
            e = d if d.b == first else d.reversed()
            out[e.a] = (e.difference, *e.interval)
    return out
