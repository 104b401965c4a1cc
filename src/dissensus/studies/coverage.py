"""Do corrected and pooled scores contain the truth, and are they nearer to it than the judge? Audits of real labels.

With --runs and --judgments, `gold` names the assessor to believe. Every other assessor (or those in `judges`) is
audited `audits` times for each of `measures`, `labels`, `designs` (planned, random) and `targets` (these_topics,
population). Each audit draws `systems` runs afresh (with 0, it takes all of them). Topics are resampled for the target
population. Naive, corrected and pooled scores stand side by side: RMSE of scores and of their deviations from the mean,
order (τ), coverage and width of 95% intervals. Refusals are counted apart from misses. `census=true` adds what the
model of gold grades says after all labels were audited. What differs from the truth is the model's fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from dissensus.measures.catalog import measure_list
from dissensus.studies.audits.cells import block, summary
from dissensus.studies.audits.census import census_table
from dissensus.studies.audits.repetitions import GoldStandard, by_method, repeated
from dissensus.studies.study import Request, StudyOutcome

SETTINGS: dict[str, Any] = {
    "audits": 40, "gold": "gold", "judges": (), "measures": ("nDCG@10", "P(rel=2)@10"), "labels": (300,),
    "designs": ("planned",), "targets": ("these_topics",), "systems": 20, "census": False,
}  # fmt: skip
BLOCK = 5
NOTES = (
    "rmse: root mean squared error of scores; rmse_deviations: of their deviations from the mean over systems",
    "scores, differences: share of 95% intervals that contain the truth; width: of a score's interval",
    "refused: share of audits without an estimate; unscored, unknown: share of systems and pairs without an interval",
    "apart: share of pairs whose interval excludes 0",
)


def run(request: Request) -> StudyOutcome:
    given = request.settings
    runs, judgments = request.collection()
    standard = GoldStandard(runs, judgments, given["gold"])
    measures = {str(m): m for m in measure_list(given["measures"])}
    made = coverage_table(standard, measures, given, seed=request.seed, executor=request.workers)
    tables = {"cells": made}
    if given["census"]:
        tables["census"] = census_table(standard, list(measures.values()), given["judges"], seed=request.seed)
    return StudyOutcome(tables=tables, notes=[*NOTES, f"truth is what {given['gold']} says"])


def coverage_table(
    given: Any, measures: dict[str, Any], settings: Mapping[str, Any], *, seed: int = 0, executor: Any = None
) -> pl.DataFrame:
    """One row per cell and method."""
    keys = [
        (judge, name, labels, how, target)
        for judge in given.others(settings["judges"])
        for name in measures
        for labels in settings["labels"]
        for how in settings["designs"]
        for target in settings["targets"]
    ]
    done = repeated(
        block, keys, settings["audits"], BLOCK, seed=seed, executor=executor, progress="auditing",
        shared={"given": given, "measures": measures, "systems": settings["systems"]},
    )  # fmt: skip
    names = ("judge", "measure", "labels", "design", "target", "method")
    rows = [dict(zip(names, key, strict=True)) | summary(found) for key, found in by_method(done).items()]
    return pl.DataFrame(rows, infer_schema_length=None)
