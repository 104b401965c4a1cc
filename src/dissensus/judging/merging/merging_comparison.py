"""How the order of systems changes from one way of merging assessors to another.

Each way gives every system a mean score: labels merged first (majority, em-mv, em-neu) and then scored, or scores
merged by AWARE (uni and any estimator).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from dissensus.arrays import Floats
from dissensus.judging.aware.api import Assessed, assess
from dissensus.judging.aware.estimators import Estimator
from dissensus.judging.aware.random_judges import judged_alike, scores_of
from dissensus.judging.merging.api import merge
from dissensus.measures.measure import Measure
from dissensus.stats.correlation import kendall_tau, tau_ap
from dissensus.tables.collection import Joined, join
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

LABEL_WAYS = ("majority", "em-mv", "em-neu")


@dataclass(frozen=True)
class Ways:
    """`ranks`: system by way of merging, scores and ranks; `correlations`: τ and τ_ap of each way to the first."""

    ranks: pl.DataFrame
    correlations: pl.DataFrame
    measure: str


def ways_of_merging(
    runs: Runs,
    judgments: Judgments,
    measure: Measure,
    ways: Sequence[str] = ("sgl_rmse_msd", "uni", "majority", "em-mv"),
    *,
    replicates: int = 1000,
    seed: int = 0,
    unjudged: str | None = None,
    assessed: Assessed | None = None,
) -> Ways:
    """Mean scores and ranks of all systems under several ways of merging; the first way is the reference.

    `unjudged`: "condense" or "nonrelevant"; without it rankings are condensed where assessors judged different things.
    `assessed`: what `aware_arrays` found for the same labels, measure, replicates and seed, so as not to do it twice.
    """
    joined = join(runs, judgments)
    condense = not judged_alike(joined) if unjudged is None else unjudged == "condense"
    parts = {w: Estimator.named(w) for w in ways if w not in LABEL_WAYS}
    gaps = sorted({p.gap for p in parts.values()} - {""})
    if assessed is not None and {gap for _, gap in assessed.gaps} >= set(gaps):
        found = assessed
    else:
        found = assess(joined, measure, gaps, replicates=replicates, seed=seed, condense=condense)
    means = {
        way: _mean(found.merged(parts[way]))
        if way in parts
        else _by_labels(joined, judgments, way, measure, seed, condense)
        for way in ways
    }
    ranks = {way: (mean[None, :] > mean[:, None]).sum(axis=1) + 1 for way, mean in means.items()}
    first = means[ways[0]]
    table = pl.DataFrame(
        {
            "system": pl.Series(joined.systems, dtype=pl.String),
            **{name: value for w in ways for name, value in ((w, means[w]), (f"rank {w}", ranks[w]))},
        }
    ).sort(f"rank {ways[0]}")
    moved = [int(np.abs(ranks[w] - ranks[ways[0]]).max(initial=0)) for w in ways]
    correlations = pl.DataFrame(
        {
            "way": list(ways),
            "tau": [float(kendall_tau(first, means[w])) if len(first) > 1 else np.nan for w in ways],
            "tau_ap": [float(tau_ap(first, means[w])) if len(first) > 1 else np.nan for w in ways],
            "largest move": moved,
            "best system": [joined.systems[int(np.argmax(means[w]))] for w in ways],
        }
    )
    return Ways(table, correlations, str(measure))


def _by_labels(joined: Joined, judgments: Judgments, way: str, measure: Measure, seed: int, condense: bool) -> Floats:
    """Scores by merged labels, unjudged documents treated as everywhere else in the table."""
    merged = merge(judgments, way, seed=seed, temper=False).judgments
    return _mean(scores_of(joined.under(merged), measure, condense)[0])


def _mean(scores: Floats) -> Floats:
    """Mean over topics (system × topic), without topics that have no judgment."""
    return np.asarray(np.nanmean(scores, axis=1), np.float64)
