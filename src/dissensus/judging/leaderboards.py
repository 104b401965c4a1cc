"""How far the leaderboards of several judges agree: τ, τ_ap and RBO between them, with intervals over topics.

A judge's leaderboard orders systems by their mean score. Between two judges, Kendall's τ counts pairs of systems in the
same order, τ_ap (Yilmaz, Aslam & Robertson 2008) weighs the top more, and so does rank-biased overlap (Webber, Moffat &
Zobel 2010). Topics are a sample: the intervals are over resampled topics, the same topics for both judges, and hold
both the percentile and the basic bootstrap interval (`both_ways` says why).

    >>> import numpy as np, xarray as xr
    >>> values = np.array([[[.5, .6], [.4, .5], [.1, .2]], [[.5, .5], [.6, .7], [.1, .0]]])
    >>> dims = ("assessor", "system", "topic")
    >>> scores = xr.Dataset({"AP": (dims, values)}, {"assessor": ["a", "b"], "system": list("xyz"), "topic": [1, 2]})
    >>> round(leaderboards(scores, replicates=50).table["tau"][0], 3)
    0.333

Only topics that both judges scored for all systems count, and the table says how many they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import Fix, InputError, Option
from dissensus.measures.scores import held
from dissensus.results import Result
from dissensus.stats.correlation import kendall_tau, tau_ap
from dissensus.stats.overlap import rbo
from dissensus.stats.resampling import both_ways
from dissensus.tables.coercion import coerced
from dissensus.work.seeds import generator

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr

Floats = NDArray[np.float64]
LEVEL = 0.95


@dataclass(frozen=True)
class Leaderboards(Result):
    """`table`: a, b, topics, systems, and tau, tau_ap, rbo with their ends; `measure` is what was averaged."""

    table: pl.DataFrame
    measure: str
    replicates: int
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        return self.table


@coerced
def leaderboards(
    scores: xr.Dataset, measure: str | None = None, *, replicates: int = 1000, p: float = 0.9, seed: int = 0
) -> Leaderboards:
    """τ, τ_ap and RBO (persistence `p`) between the leaderboards of every two judges, from scores of `evaluate`."""
    import polars as pl

    variables = [str(v) for v in scores.data_vars]
    if measure is None and len(variables) != 1:
        several = f"the scores are of {len(variables)} measures: {', '.join(variables)}."
        raise InputError(several, Fix("Name one with ", Option("measure"), "."))
    name = variables[0] if measure is None else held(variables, str(measure))
    if name is None:
        raise InputError(f"no scores of {measure}; there are {', '.join(variables)}.")
    judges = [str(a) for a in scores.coords["assessor"].values]
    values = np.asarray(scores[name].transpose("assessor", "system", "topic").values, np.float64)
    if len(judges) < 2 or values.shape[1] < 2:
        raise InputError(
            f"there are {len(judges)} judges and {values.shape[1]} systems; leaderboards need two of each at least.",
            "Read several judges' scores together: read_scores('ann.csv', 'llm.csv').",
        )
    rows = []
    for k, (i, j) in enumerate(combinations(range(len(judges)), 2)):
        both = ~np.isnan(values[[i, j]]).any(axis=(0, 1))
        if both.sum() < 2:
            raise InputError(f"{judges[i]} and {judges[j]} scored fewer than two topics for all systems.")
        one, other = values[i][:, both], values[j][:, both]
        found = _agreement(one, other, replicates, p, generator(seed, k))
        rows.append([judges[i], judges[j], int(both.sum()), values.shape[1], *found])
    kinds = ("tau", "tau_ap", "rbo")
    columns = ["a", "b", "topics", "systems", *(f"{kind}{end}" for kind in kinds for end in ("", "_low", "_high"))]
    note = f"intervals: {LEVEL:.0%}, over {replicates:,} resamples of topics; τ_ap and RBO: b against a"
    return Leaderboards(pl.DataFrame(rows, schema=columns, orient="row"), name, replicates, (note,))


def _agreement(a: Floats, b: Floats, replicates: int, p: float, rng: np.random.Generator) -> list[float]:
    """τ, τ_ap, RBO, each with its ends; a and b are systems × topics."""
    n = a.shape[1]
    drawn = np.stack([_three(a[:, t].mean(axis=1), b[:, t].mean(axis=1), p)
                      for t in rng.integers(0, n, (replicates, n))])  # fmt: skip
    estimate = _three(a.mean(axis=1), b.mean(axis=1), p)
    low, high = both_ways(estimate, drawn, LEVEL)
    return [float(v) for k in range(3) for v in (estimate[k], low[k], high[k])]


def _three(a: Floats, b: Floats, p: float) -> list[Any]:
    first, second = (dict(enumerate(x.tolist())) for x in (a, b))
    return [float(kendall_tau(a, b)), float(tau_ap(a, b)), float(rbo(first, second, p=p))]
