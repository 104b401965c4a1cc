"""How much the leaderboards of several judges agree: τ, τ_ap, RBO and the top k, with intervals over topics.

A judge's leaderboard orders systems by their mean score. Between two judges, Kendall's τ counts pairs of systems in the
same order. τ_ap (Yilmaz, Aslam & Robertson 2008) weighs the top more, and so does rank-biased overlap (Webber, Moffat &
Zobel 2010). The overlap of the first k is the simplest. Topics are a sample, and their noise parts two leaderboards
that would agree on more topics. So each number as seen comes with its corrected value for all topics like these, and an
interval (`order_interval`). Topics are resampled, the same ones for all judges, one matrix product a resample.

    >>> import numpy as np, xarray as xr
    >>> values = np.array([[[.5, .6], [.4, .5], [.1, .2]], [[.5, .5], [.6, .7], [.1, .0]]])
    >>> dims = ("assessor", "system", "topic")
    >>> scores = xr.Dataset({"AP": (dims, values)}, {"assessor": ["a", "b"], "system": list("xyz"), "topic": [1, 2]})
    >>> round(leaderboards(scores, replicates=50).table["tau"][0], 3)
    0.333

Only topics that both judges scored for all systems count, and the table says how many they were. Means are rounded to
12 decimals before they are ordered: a tie in exact numbers stays one in floating point.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np
import polars as pl

from dissensus.arrays import Floats, Ints
from dissensus.errors import Fix, InputError, Option
from dissensus.io.options import TableKeywords
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.other_names import held
from dissensus.results import Result, Table
from dissensus.stats.orders import KINDS, Orders, compared, order_interval
from dissensus.tables.coercion import coerced
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    import xarray as xr

ROWS = 5_000  # pairs of rankings compared at a time
MEANINGS = {
    "a": "first judge",
    "b": "second judge",
    "tau_corrected": "tau for topics like these",
    "tau_ap_corrected": "tau_ap for topics like these",
    "rbo_corrected": "rank-biased overlap for topics like these",
    "top_k": "share of the first k systems in common",
    "top_k_corrected": "share of the first k systems in common, for topics like these",
}
DECIMALS = 12  # to which means are rounded before they are ordered


@dataclass(frozen=True)
class Leaderboards(Result):
    """How much every two judges' leaderboards agree, by each measure.

    `table` has measure, a, b, topics, systems, and for tau, tau_ap, rbo and top_k the value on these topics,
    `_corrected` for all topics like these, `_low` and `_high`. `ranks` holds the rank of each system by each judge.
    """

    table: pl.DataFrame
    ranks: pl.DataFrame
    replicates: int
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"How much the leaderboards of {self.ranks.width - 2} judges agree"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        ranks = Table.of(self.ranks, rest="rank of the system using {name}'s labels")
        return {"agreement": Table.of(self.table, MEANINGS, level=0.95), "ranks": ranks}


@coerced
def leaderboards(
    scores: xr.Dataset,
    measures: str | Sequence[str] | None = None,
    *,
    replicates: int = 1000,
    p: float = 0.9,
    k: int = 5,
    seed: int = 0,
    **reading: Unpack[TableKeywords],
) -> Leaderboards:
    """τ, τ_ap, RBO and the overlap of the first k between the leaderboards of every two judges.

    Parameters
    ----------
    scores
        Scores of `evaluate` or `read_scores`, of two judges or more.
    measures
        Which measure to average, or several. Not needed where there is one.
    replicates
        How often topics are resampled.
    p
        Persistence of RBO: its mean depth is 1/(1 − p).
    k
        How many systems are the top.

    Returns
    -------
    Leaderboards
        A row for every two judges, and one for every system, with a column for each judge:

        - `agreement`: measure, a, b, topics, systems, tau, tau_corrected, tau_low, tau_high, tau_ap, tau_ap_corrected,
          tau_ap_low, tau_ap_high, rbo, rbo_corrected, rbo_low, rbo_high, top_k, top_k_corrected, top_k_low,
          top_k_high
        - `ranks`: measure, system, a column for each judge

    Examples
    --------
    >>> import dissensus as ds
    >>> rows = [(j, s, f"t{t}", "AP", 0.1 * i + t % 4 / 10) for j in ("ann", "llm") for i, s in enumerate("ABC")
    ...         for t in range(8)]
    >>> table = dict(zip(("assessor", "system", "topic", "measure", "value"), map(list, zip(*rows))))
    >>> ds.leaderboards(table, replicates=20).to_frame().select("a", "b", "tau").rows()
    [('ann', 'llm', 1.0)]
    """
    names = [None] if measures is None else [measures] if isinstance(measures, str) else list(measures)
    found = [_of_measure(board(scores, name), replicates, (p, k), seed) for name in names]
    most = min(k, scores.sizes["system"])
    note = (
        f"corrected, with 95% intervals: for topics like these and these systems, over {replicates:,} resamples of "
        f"topics. τ_ap and RBO: b against a. top_k: the share of the first {most} in common"
    )
    tables, ranks = (pl.concat([one[i] for one in found]) for i in (0, 1))
    return Leaderboards(tables, ranks, replicates, (*scores.attrs.get("notes", ()), note))


def _of_measure(
    asked: tuple[str, list[str], list[str], Floats], replicates: int, shape: tuple[float, int], seed: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(how much every two judges agree, the rank of each system by each judge) of one measure's board."""
    name, judges, systems, values = asked
    rows = []
    pairs = np.stack(np.triu_indices(len(judges), 1), axis=1)
    usable = np.asarray(~np.isnan(values).any(axis=1))  # judge × topic
    shared = usable[pairs[:, 0]] & usable[pairs[:, 1]]
    few = np.flatnonzero(shared.sum(axis=1) < 2)
    if len(few):
        one, other = (judges[i] for i in pairs[few[0]])
        raise InputError(f"{one} and {other} scored fewer than two topics for all systems.")
    patterns, which = np.unique(shared, axis=0, return_inverse=True)
    found = np.empty((len(pairs), len(KINDS), 4))
    for g, topics in enumerate(patterns):
        own = np.flatnonzero(which.reshape(-1) == g)
        found[own] = _agreement(values[:, :, topics], pairs[own], replicates, shape, generator(seed, g))
    for n, (i, j) in enumerate(pairs):
        rows.append([name, judges[i], judges[j], int(shared[n].sum()), values.shape[1], *found[n].ravel().tolist()])
    columns = [f"{kind}{end}" for kind in KINDS for end in ("", "_corrected", "_low", "_high")]
    table = pl.DataFrame(rows, schema=["measure", "a", "b", "topics", "systems", *columns], orient="row")
    means = values.mean(axis=2)
    by_judge = {who: [int((row > v).sum()) + 1 for v in row] for who, row in zip(judges, means, strict=True)}
    ranks = pl.DataFrame({"measure": [name] * len(systems), "system": systems, **by_judge})
    return table, ranks.sort(judges[0], maintain_order=True)


def board(scores: xr.Dataset, measure: str | None) -> tuple[str, list[str], list[str], Floats]:
    """(measure, judges, systems, scores judge × system × topic, higher is better) of the one measure asked for."""
    variables = [str(v) for v in scores.data_vars]
    if measure is None and len(variables) != 1:
        several = f"the scores are of {len(variables)} measures: {', '.join(variables)}."
        raise InputError(several, Fix("Name one with ", Option("measures"), "."))
    name = variables[0] if measure is None else held(variables, str(measure))
    if name is None:
        raise InputError(f"no scores of {measure}; there are {', '.join(variables)}.")
    judges, systems = ([str(v) for v in scores.coords[dim].values] for dim in ("assessor", "system"))
    values = np.asarray(scores[name].transpose("assessor", "system", "topic").values, np.float64)
    if len(judges) < 2 or len(systems) < 2:
        raise InputError(
            f"there are {len(judges)} judges and {len(systems)} systems; leaderboards need two of each at least.",
            "Read several judges' scores together: read_scores('ann.csv', 'llm.csv').",
        )
    return name, judges, systems, -values if lower_is_better(name) else values


def _agreement(
    values: Floats, pairs: Ints, replicates: int, shape: tuple[float, int], rng: np.random.Generator
) -> Floats:
    """Pairs × kinds × (seen, corrected, low, high)."""
    p, k = shape
    judges = Orders.of(means_of(values, np.full((1, values.shape[2]), 1 / values.shape[2]))[0])
    seen = compared(judges.take(pairs[:, 0]), judges.take(pairs[:, 1]), p=p, k=k)
    total, square, n = np.zeros_like(seen), np.zeros_like(seen), 0
    for drawn in resampled(values, pairs, topic_weights(values.shape[2], replicates, rng), p=p, k=k):
        total += (drawn - seen).sum(axis=0)
        square += ((drawn - seen) ** 2).sum(axis=0)
        n += len(drawn)
    mean = total / max(n, 1)
    sd = np.sqrt(np.maximum(square - n * mean**2, 0) / max(n - 1, 1))
    ends = [order_interval(seen[:, c], seen[:, c] + mean[:, c], sd[:, c], kind) for c, kind in enumerate(KINDS)]
    return np.stack([np.stack([seen[:, c], *ends[c]], axis=1) for c in range(len(KINDS))], axis=1)


def topic_weights(topics: int, replicates: int, rng: np.random.Generator) -> Floats:
    """Resamples × topics: how often each topic was drawn, divided by their number."""
    return rng.multinomial(topics, np.full(topics, 1 / topics), replicates) / topics


def means_of(values: Floats, weights: Floats) -> Floats:
    """Resamples × judges × systems: means over weighted topics, one matrix product for all, rounded."""
    judges, systems, topics = values.shape
    flat = values.reshape(judges * systems, topics)
    return np.round(weights @ flat.T, DECIMALS).reshape(len(weights), judges, systems)


def resampled(values: Floats, pairs: Ints, weights: Floats, *, p: float = 0.9, k: int = 5) -> Iterator[Floats]:
    """Blocks of resamples × pairs × kinds: how far pairs of judges agree on resampled topics."""
    judges = len(values)
    block = max(1, ROWS // max(len(pairs), judges))
    for start in range(0, len(weights), block):
        part = weights[start : start + block]
        orders = Orders.of(means_of(values, part).reshape(len(part) * judges, -1))
        offset = judges * np.arange(len(part))[:, None]
        one, other = ((offset + pairs[:, side]).ravel() for side in (0, 1))
        yield compared(orders.take(one), orders.take(other), p=p, k=k).reshape(len(part), len(pairs), len(KINDS))
