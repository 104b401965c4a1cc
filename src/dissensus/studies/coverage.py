"""Do corrected and pooled scores contain the truth, and are they nearer to it than the judge? Audits of real labels.

With --runs and --judgments, `gold` names the assessor to believe. Every other assessor (or those in `judges`) is
audited `audits` times for each of `measures`, `labels`, `designs` (planned, random) and `targets` (these_topics,
population). Each audit draws `systems` runs afresh (with 0, it takes all of them). Topics are resampled for the target
population. Naive, corrected and pooled scores stand side by side: RMSE of scores and of their deviations from the mean,
order (τ), coverage and width of 95% intervals. Refusals are counted apart from misses.
The differences of systems named in `favoured` are counted once more by themselves. `census=true` adds what the model of
gold grades says after all labels were audited. What differs from the truth is the model's fault.

Without --runs, judges are simulated. There are twelve systems, 40 topics, P@10 and planned audits. The judge errs in
one of five ways: exchangeable bias, one favoured system, two families of systems, bias by rank, no bias.
"""

from __future__ import annotations

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.measures.catalog import measure_list
from dissensus.measures.measure import Measure
from dissensus.studies.audits.cells import block, over_judges, summary
from dissensus.studies.audits.census import census_table
from dissensus.studies.audits.repetitions import ByKey, GoldStandard, by_method, repeated
from dissensus.studies.audits.simulated_judges import simulated_audits
from dissensus.studies.study import Figure, Request, StudyOutcome

SETTINGS: Values = {
    "audits": 40, "gold": "gold", "judges": (), "measures": ("nDCG@10", "P(rel=2)@10"), "labels": (300,),
    "designs": ("planned",), "targets": ("these_topics",), "systems": 20, "census": False, "favoured": (),
}  # fmt: skip
BLOCK = 5
NOTES = (
    "rmse: root mean squared error of scores; rmse_deviations: of their deviations from the mean over systems",
    "scores, differences: share of 95% intervals that contain the truth; width: of a score's interval",
    "refused: share of audits without an estimate; unscored, unknown: share of systems and pairs without an interval",
    "apart, wrong: share of pairs whose interval excludes 0, and of those in the wrong direction",
    "favoured: share of the favoured systems' differences that intervals contain",
    "summary: all judges together; least, most and wrong are the worst judge's",
)
CELL = ("judge", "measure", "labels", "design", "target", "method")


def run(request: Request) -> StudyOutcome:
    given = request.settings
    if not (request.runs or request.judgments):
        done = simulated_audits(given["audits"], given["labels"], seed=request.seed, executor=request.workers)
        cells = _table(done, ("setting", "labels", "method"))
        tables = {"cells": cells, "summary": over_judges(cells, ("labels",))}
        figure = Figure("correction", "errors_chart", (cells, "setting"))
        return StudyOutcome(tables=tables, notes=NOTES, figures={"errors": figure})
    runs, judgments = request.collection()
    standard = GoldStandard(runs, judgments, given["gold"])
    measures = {str(m): m for m in measure_list(given["measures"])}
    cells = coverage_table(standard, measures, given, seed=request.seed, executor=request.workers)
    tables = {"cells": cells, "summary": over_judges(cells)}
    if given["census"]:
        tables["census"] = census_table(standard, list(measures.values()), given["judges"], seed=request.seed)
    figure = Figure("correction", "errors_chart", (cells, "judge"))
    return StudyOutcome(
        tables=tables, notes=[*NOTES, f"truth is what {given['gold']} says"], figures={"errors": figure}
    )


def coverage_table(
    given: GoldStandard, measures: dict[str, Measure], settings: Values, *, seed: int = 0, executor: object = None
) -> pl.DataFrame:
    """One row per cell and method."""
    systems = given.runs.systems
    if strange := [name for name in settings["favoured"] if name not in systems]:
        raise InputError(f"no system is called {strange[0]!r}.", f"Name some of {', '.join(systems)}.")
    keys = [
        (judge, name, labels, how, target)
        for judge in given.others(settings["judges"])
        for name in measures
        for labels in settings["labels"]
        for how in settings["designs"]
        for target in settings["targets"]
    ]
    shared = {
        "given": given, "measures": measures, "systems": settings["systems"], "favoured": tuple(settings["favoured"]),
    }  # fmt: skip
    done = repeated(
        block, keys, settings["audits"], BLOCK, seed=seed, executor=executor, progress="auditing", shared=shared
    )
    return _table(done, CELL)


def _table(done: ByKey, names: tuple[str, ...]) -> pl.DataFrame:
    rows = [dict(zip(names, key, strict=True)) | summary(found) for key, found in by_method(done).items()]
    return pl.DataFrame(rows, infer_schema_length=None)
