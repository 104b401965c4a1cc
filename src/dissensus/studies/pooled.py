"""Does pooling the judge's bias over systems give a better order, and do its intervals hold? Against a known truth.

Simulated judges (exchangeable bias, one favoured system, two families of systems, bias by rank, no bias): `audits`
audits of each, one per simulated collection of twelve systems. With --runs and --judgments, real labels instead: `gold`
names the assessor to believe; every other assessor (or those in `judges`) is audited `audits` times with `labels` gold
labels, on `systems` runs drawn by the seed (0: all of them); `favoured` are systems looked at by themselves. Naive,
rectified and pooled scores stand side by side: RMSE of differences, order (τ), pairs told apart and wrongly so,
coverage of differences and scores.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from dissensus.measures.catalog import measure_list
from dissensus.studies.audits.pooled_real import real_table, some_runs
from dissensus.studies.audits.pooled_simulated import simulated_table
from dissensus.studies.audits.repetitions import GoldStandard
from dissensus.studies.study import Figure, Request, StudyOutcome

SETTINGS: dict[str, Any] = {
    "audits": 0, "gold": "gold", "judges": (), "measures": ("P(rel=2)@10", "nDCG@10"), "labels": (100, 300, 1000),
    "systems": 20, "kind": ("planned",), "favoured": (),
}  # fmt: skip
KEYS = ("judge", "measure", "labels", "audit")
ENOUGH = 0.93  # of the differences, and of the scores, that intervals of 95 % must hold
SIMULATED, REAL = 400, 40  # audits, where the setting is 0
NOTES = [
    "rmse: root mean squared error of all pairs' differences; tau: share of pairs in order less the others",
    "apart, wrong: share of pairs told apart at 95 %, and in the wrong direction; covered: of the differences",
    "covered is an average over pairs; mc_error is its standard error over audits, whose pairs share their luck",
    "refused: share of pairs about which nothing was said; all other columns are of audits that were not refused",
]


def run(request: Request) -> StudyOutcome:
    return real(request) if request.runs or request.judgments else simulated(request)


def simulated(request: Request) -> StudyOutcome:
    given = request.settings
    made = simulated_table(given["audits"] or SIMULATED, given["labels"], seed=request.seed, executor=request.workers)
    return StudyOutcome(
        tables={"audits": made, "gain": gain(made, ("setting", "labels"))},
        notes=[*NOTES, "first: coverage of the differences of the first system, which one setting favours"],
        figures={"pooled": Figure("correction", "gain_chart", (made, "setting"))},
    )


def real(request: Request) -> StudyOutcome:
    given = request.settings
    runs, judgments = request.collection()
    chosen = some_runs(runs, given["systems"], request.seed)
    measures = {str(m): m for m in measure_list(given["measures"])}
    made = real_table(
        GoldStandard(chosen, judgments, given["gold"]), measures, given["labels"], audits=given["audits"] or REAL,
        hows=given["kind"], judges=given["judges"], favoured=given["favoured"], seed=request.seed,
        executor=request.workers,
    )  # fmt: skip
    return StudyOutcome(
        tables={"audits": made, "gain": gain(made, KEYS), "cells": cells(made)},
        notes=[
            *NOTES,
            f"first: coverage of the differences of {', '.join(given['favoured']) or chosen.systems[0]}",
            f"truth is what {given['gold']} says of these topics; {len(chosen.systems)} runs",
        ],
        figures={"pooled": Figure("correction", "gain_chart", (made, "judge"))},
    )


def cells(made: pl.DataFrame) -> pl.DataFrame:
    """Coverage of rectified scores and differences of every cell, the share refused, and whether it fails.

    A cell fails where the upper 95 % limit of one of its two coverages is under 0.93.
    """
    both = {"differences": ("covered", "mc_error"), "scores": ("scores", "scores_se")}
    high = {name: (pl.col(c) + 1.96 * pl.col(se)).clip(upper_bound=1.0) for name, (c, se) in both.items()}
    return made.filter(pl.col("method") == "rectified").select(
        *KEYS,
        "audits",
        "refused",
        pl.col("covered").alias("differences"),
        high["differences"].alias("differences_high"),
        "scores",
        high["scores"].alias("scores_high"),
        pl.when(pl.col("covered").is_nan())
        .then(None)
        .otherwise(pl.min_horizontal(high["differences"], high["scores"]) < ENOUGH)
        .alias("fails"),
    )


def gain(made: pl.DataFrame, keys: tuple[str, ...]) -> pl.DataFrame:
    """Pooled beside rectified: ratio of RMSE, τ gained, ratio of pairs told apart, coverage lost.

    Intervals are of 95 % over audits, as if the two had been made on different ones: rather too wide than too short.
    """
    rectified, pooled = (made.filter(pl.col("method") == m) for m in ("rectified", "pooled"))
    both = pooled.join(rectified, on=list(keys), suffix="_rectified", maintain_order="left")
    tau_half = 1.96 * (pl.col("tau_se") ** 2 + pl.col("tau_se_rectified") ** 2).sqrt()
    tau_gain = pl.col("tau") - pl.col("tau_rectified")
    return both.select(
        *keys,
        *_ratio("rmse"),
        tau_gain.alias("tau_gain"),
        (tau_gain - tau_half).alias("tau_gain_low"),
        (tau_gain + tau_half).alias("tau_gain_high"),
        *_ratio("apart"),
        "covered",
        covered_low=pl.col("covered") - 1.96 * pl.col("mc_error"),
        covered_high=pl.col("covered") + 1.96 * pl.col("mc_error"),
        covered_lost=pl.col("covered_rectified") - pl.col("covered"),
        audits=pl.col("audits"),
    )


def _ratio(name: str) -> list[pl.Expr]:
    """Pooled over rectified with its interval, on the logarithm."""
    ratio = pl.col(name) / pl.col(f"{name}_rectified")
    relative = [pl.col(f"{name}_se{side}") / pl.col(f"{name}{side}") for side in ("", "_rectified")]
    half = 1.96 * (relative[0] ** 2 + relative[1] ** 2).sqrt()
    names = (f"{name}_ratio", f"{name}_ratio_low", f"{name}_ratio_high")
    return [e.alias(n) for e, n in zip((ratio, ratio * (-half).exp(), ratio * half.exp()), names, strict=True)]
