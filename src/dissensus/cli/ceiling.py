"""`dissensus ceiling`: how well a ranker that is perfect for another judge would score with this one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.terminal.files import draw
from dissensus.errors import InputError
from dissensus.inference.ceiling.api import ceiling
from dissensus.inference.ceiling.several import Ceilings
from dissensus.judging.confusion.api import Confusion
from dissensus.reporting.charts.ceiling import topic_chart
from dissensus.tables.features import read_features

if TYPE_CHECKING:
    from dissensus.tables.judgments import Judgments


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
    result = Ceilings.of(results, found, systems, per_topic)
    if plot is not None:
        draw(topic_chart(result.rows), plot)
    shown.show(result)


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
