"""How top-heavy measures are, and when a t test on their scores goes blind.

Figs. 3.3–3.5 of the thesis: the balancing index against run length; and two simulated runs that are equal down to some
rank, told apart or not by a measure with weights by rank (`simulate`), in `trials` trials per rank.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.arrays import Values
from dissensus.errors import InputError, MeasureError, Option, Text
from dissensus.measures.catalog import measure as named
from dissensus.measures.measure import Linear, Measure
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.scale import Scale
from dissensus.theory.balancing import balancing_curve, balancing_index
from dissensus.work.executor import run_units

MEASURES = ("AP", "RBP(p=0.8)", "RBP(p=0.95)", "ERR", "P@10", "nDCG")
#: what the thesis says of Fig. 3.3, for run lengths up to 1000
PRINTED = {
    "AP": "close to the length",
    "nDCG": "close to the length",
    "ERR": "1",
    "RBP(p=0.8)": "8 (from length 20 on)",
    "RBP(p=0.95)": "almost 60",
}
NEGLIGIBLE = 1e-9  # share of a measure's weight below which deeper ranks are not drawn

SETTINGS: Values = {
    "measures": MEASURES,
    "simulate": ("RBP(p=0.8)",),
    "length": 1000,
    "steps": 40,
    "topics": 50,
    "trials": 10_000,
}


def run(request: Request) -> StudyOutcome:
    """Balancing curves of `measures`; for `simulate` (linear measures) how often a t test separates the two runs.

    Tables: the indices; curves with measure, length, index; separation with measure, rank, share, se, index.
    """
    asked = request.settings
    length, topics, trials = asked["length"], asked["topics"], asked["trials"]
    lengths = np.unique(np.linspace(1, length, asked["steps"]).round().astype(int)).tolist()
    curves = balancing_curve(asked["measures"], lengths).to_frame()
    how = {"length": length, "topics": topics, "trials": trials, "seed": request.seed, "executor": request.workers}
    frames = [separation(m, **how) for m in asked["simulate"]]
    empty = {"measure": pl.String, "rank": pl.Int64, "share": pl.Float64, "se": pl.Float64, "index": pl.Int64}
    notes = (
        f"{topics} topics, {trials:,} trials per rank, paired t test at 0.05, rankings of {length:,} documents",
        "r and s: 20 % relevant down to the rank; then 70 % and 30 % to rank 20; then 10 % and 70 % to the end",
    )
    separated = pl.concat(frames) if frames else pl.DataFrame(schema=empty)
    return StudyOutcome(
        {"indices": indices(curves), "curves": curves, "separation": separated},
        notes,
        figures={
            "curves": Figure("theory", "balancing_chart", (curves,)),
            "separation": Figure("theory", "separation_chart", (separated,)),
        },
    )


def indices(curves: pl.DataFrame) -> pl.DataFrame:
    """measure, largest index, the length from which it stays, index/length at the end, and what the thesis says."""
    rows = []
    for (name,), part in curves.group_by(["measure"], maintain_order=True):
        length, index = part["length"].to_numpy(), part["index"].to_numpy()
        last = index[-1]
        settled = length[np.flatnonzero(index != last)[-1] + 1] if (index != last).any() else length[0]
        rows.append((name, int(last), int(settled), float(last / length[-1]), PRINTED.get(str(name))))
    schema = ["measure", "index", "from length", "index / length", "thesis"]
    return pl.DataFrame(rows, schema=schema, orient="row", strict=False)


def separation(
    measure: str | Measure,
    *,
    length: int = 1000,
    topics: int = 50,
    trials: int = 10_000,
    ranks: Sequence[int] = tuple(range(21)),
    seed: int = 0,
    executor: object = None,
) -> pl.DataFrame:
    """Share of trials in which the two runs differ significantly, by the rank down to which they are equal."""
    m = named(measure)
    if not isinstance(m, Linear):
        raise MeasureError(f"{m} has no weights by rank, which this simulation needs.", "Use RBP, P@k, DCG or CG.")
    if trials < 1 or topics < 2 or length < 21:
        raise InputError(
            Text(
                Option("trials", trials),
                ", ",
                Option("topics", topics),
                ", ",
                Option("length", length),
                ": at least 1 trial, 2 topics and 21 documents are needed.",
            )
        )
    weights = m.linear_form(np.zeros(2, np.int64), length, Scale.range(0, 1))[0]
    used = int(np.searchsorted(np.cumsum(weights), (1 - NEGLIGIBLE) * weights.sum())) + 1
    shared = {"weights": np.ascontiguousarray(weights[:used]), "topics": topics, "trials": trials}
    shares = run_units(
        separated_share,
        [int(r) for r in ranks],
        shared=shared,
        seed=seed,
        executor=executor,
        progress=f"trials with {m}",
    )
    share = np.array(shares)
    return pl.DataFrame(
        {
            "measure": [str(m)] * len(share),
            "rank": list(ranks),
            "share": share,
            "se": np.sqrt(share * (1 - share) / trials),
            "index": [balancing_index(m, length)] * len(share),
        },
        schema_overrides={"index": pl.Int64},
    )


def separated_share(
    rank: int, weights: NDArray[np.float64], topics: int, trials: int, rng: np.random.Generator
) -> float:
    """Share of trials with a significant difference, for runs that are equal down to `rank`."""
    from scipy.special import stdtrit

    n = len(weights)
    place = np.arange(1, n + 1)
    chance_r = np.where(place <= rank, 0.2, np.where(place <= 20, 0.7, 0.1)).astype(np.float32)
    chance_s = np.where(place <= rank, 0.2, np.where(place <= 20, 0.3, 0.7)).astype(np.float32)
    critical = float(stdtrit(topics - 1, 0.975))
    light = weights.astype(np.float32)
    found, done = 0, 0
    block = max(1, 4_000_000 // (topics * n))  # trials drawn at once
    while done < trials:
        size = min(block, trials - done)
        shape = (size, topics, n)
        r = (rng.random(shape, np.float32) < chance_r).astype(np.float32) @ light
        s = (rng.random(shape, np.float32) < chance_s).astype(np.float32) @ light
        difference = r - s
        spread = difference.std(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(difference.mean(axis=1)) * np.sqrt(topics) / spread
        found += int((t > critical).sum())
        done += size
    return found / trials
