"""`dissensus ceiling`: how well a ranker that is perfect for another judge would score with this one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import polars as pl

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.terminal.files import draw
from dissensus.errors import InputError
from dissensus.inference.ceiling.api import ceiling, ceiling_shares
from dissensus.inference.ceiling.interval import ceiling_interval
from dissensus.judging.confusion.api import Confusion
from dissensus.reporting.charts.ceiling import topic_chart
from dissensus.tables.features import read_features

if TYPE_CHECKING:
    from dissensus.inference.ceiling.api import Ceiling
    from dissensus.tables.judgments import Judgments
    from dissensus.tables.runs import Runs

CONDENSED = "runs are condensed (unjudged documents taken out); a share above 1 knows more than one other judge"


def command(
    grades: Annotated[
        list[str],
        argument(metavar="LABELS", help="Judgments, or one LETOR/SVMlight file with --letor."),
    ],
    confusion: Annotated[
        str | None,
        option(
            "--confusion",
            metavar="FILE|NAME",
            help="What another judge makes of each grade: a JSON file, or a published matrix "
            "(such as trec-rf10-crowd); estimated from the assessors in the file without it.",
        ),
    ] = None,
    measures: opt.MeasuresOption = opt.ONE_MEASURE,
    method: Annotated[
        Literal["exact", "normal", "simulate"],
        option("--method"),
    ] = "exact",
    replicates: Annotated[int, option("--replicates", metavar="N", min=2)] = 1000,
    order: Annotated[
        Literal["label", "posterior"],
        option("--order"),
    ] = "label",
    assessor: opt.AssessorOption = None,
    runs: Annotated[
        list[str] | None,
        option("--runs", metavar="FILE", help="How far these runs (condensed) have come; repeatable, globs."),
    ] = None,
    letor: Annotated[bool, option("--letor", help="LABELS is a LETOR/SVMlight file.")] = False,
    queries: Annotated[
        str | None, option("--queries", metavar="FILE", help="Documents per query, if the file has no qid:.")
    ] = None,
    per_topic: Annotated[bool, option("--per-topic", help="One row per topic instead of means.")] = False,
    reading: opt.Reading = opt.Reading(repeated="keep"),
    plot: Annotated[
        Path | None, option("--plot", metavar="FILE", help="Draw ceilings by topic: .svg .png .pdf .html")
    ] = None,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
    work: LongWork = LongWork(),
) -> None:
    """How well a ranker that is perfect for one judge would score with another.

    Example:
        dissensus ceiling labels.csv -m nDCG@10 --runs 'runs/*'
        dissensus ceiling labels.csv --confusion C.json -m nDCG -m P@5 --per-topic
        dissensus ceiling train.txt --letor --confusion C.json -m "nDCG(dcg='exp-log2')"
    """
    shown.check(plot)
    found = _read(grades, letor, queries, reading)
    systems = reading.runs(*runs) if runs else None
    reading.refuse_unused()
    matrix = _matrix(confusion)
    results = [ceiling(found, matrix, m, method, replicates, seed, order=order, assessor=assessor) for m in measures]
    tables = {"ceiling": _per_topic(results) if per_topic else _means(results, found)}
    if systems is not None:
        tables |= _shares(systems, found, results)
    if plot is not None:
        draw(topic_chart(_per_topic(results)), plot)
    notes = list(dict.fromkeys(note for r in results for note in (*found.notes, *r.notes)))
    footer = [
        f"expected score of the ranking that is perfect for one other judge; {method}, ordered by {order}, "
        "ties broken at random, judged documents only; 95% intervals over topics"
        + (" and the labels behind the matrix" if results[0].estimated and method != "simulate" else ""),
        *([CONDENSED] if runs else []),
        *notes,
    ]
    shown.emit(
        tables if len(tables) > 1 else tables["ceiling"],
        title="Ceiling",
        footer=footer,
        facts={"mean": {r.measure: r.mean for r in results}, "confusion": results[0].confusion.matrix},
    )


def _read(labels: list[str], letor: bool, queries: str | None, reading: opt.Reading) -> Judgments:
    if letor:
        if len(labels) != 1:
            raise InputError(f"--letor reads one file, not {len(labels)}.")
        return read_features(labels[0], queries=queries).judgments()
    return reading.judgments(labels)


def _matrix(confusion: str | None) -> Any:
    """A file if there is one of that name, else the name of a published matrix."""
    if confusion is not None and (Path(confusion).exists() or confusion.endswith(".json")):
        return Confusion.read(confusion)
    return confusion


def _means(results: list[Ceiling], found: Judgments) -> pl.DataFrame:
    return pl.concat([ceiling_interval(r, found).select(pl.lit(r.measure).alias("measure"), pl.all()) for r in results])


def _per_topic(results: list[Ceiling]) -> pl.DataFrame:
    return pl.concat([r.to_frame().select(pl.lit(r.measure).alias("measure"), pl.all()) for r in results])


def _shares(runs: Runs, found: Judgments, results: list[Ceiling]) -> dict[str, pl.DataFrame]:
    return {f"runs, {r.measure}": ceiling_shares(runs, found, r) for r in results}
