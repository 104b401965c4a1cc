"""`dissensus multiverse`: which conclusions hold under every one of many judges, and what drives the others."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import chart_file, draw
from dissensus.cli.terminal.output import show
from dissensus.errors import InputError
from dissensus.inference.multiverse.api import multiverse
from dissensus.io.api import read_judgments
from dissensus.reporting.charts.multiverse import charts


def command(
    runs: Annotated[list[str] | None, argument(metavar="RUNS", help="Run files.")] = None,
    judgments: Annotated[
        list[str] | None,
        option("--judgments", "-j", metavar="FILE", help="Labels of many judges. Repeatable."),
    ] = None,
    measures: opt.MeasuresOption = opt.ONE_MEASURE,
    factors: Annotated[
        str | None,
        option("--factors", metavar="FILE"),
    ] = None,
    gold: Annotated[
        str | None, option("--gold", metavar="NAME|FILE", help="The judge that is the truth, or its labels.")
    ] = None,
    audit: opt.AuditOption = None,
    teams: Annotated[
        str | None,
        option("--teams", metavar="FILE"),
    ] = None,
    score_table: Annotated[
        list[str] | None,
        option("--score-table", metavar="FILE", help="Scores of several judges instead of runs and labels."),
    ] = None,
    replicates: Annotated[int, option("--replicates", metavar="N")] = 1000,
    k: Annotated[int, option("--top", metavar="K")] = 5,
    reading: opt.RunReading = opt.RunReading(repeated="first"),
    policies: opt.TiesFirst = opt.TiesFirst(),
    inference: opt.Inference = opt.Inference(),
    shown: opt.ChartOutput = opt.ChartOutput(),
) -> None:
    """Does the conclusion survive the choice of judge and prompt?

    Scores the same runs by every judge of a set. Shows which claims hold under all of them, which are reversed, and
    which system has the highest score under how many. Also what drives the spread (model, prompt, topics), and which
    few judges stand for all. With --gold also which judges order the systems as gold does, with --audit what one audit
    does to the spread. --plot curve.svg draws one difference under every judge. It writes curve-claims.svg,
    curve-panel.svg and curve-tree.svg, too. With an audit, curve-spread.svg is the last.

    Examples:
        dissensus multiverse runs/* -j judges.csv -m nDCG@10 --factors judges-factors.csv
        dissensus multiverse runs/* -j judges.csv --gold nist.qrels -m nDCG@10 --plot curve.svg
        dissensus multiverse --score-table a.csv --score-table b.csv -m AP
    """
    shown.check()
    options: dict[str, Any] = {
        "factors": factors, "teams": teams, "replicates": replicates, "k": k, "level": inference.level,
        "seed": inference.seed,
    }  # fmt: skip
    if score_table:
        if runs or judgments or audit:
            raise InputError("--score-table brings the scores.", "Leave runs, --judgments and --audit out.")
        result = multiverse(reading.scores(score_table), None, measures, gold=gold, **options)
    else:
        if not runs or not judgments:
            raise InputError("multiverse needs runs and the labels of several judges.", "Give RUNS and -j FILE.")
        labels = reading.judgments(judgments)
        truth = read_judgments(gold) if gold is not None and (Path(gold).is_file() or "=" in gold) else gold
        audited = reading.audit(audit)
        options |= {"gold": truth, "audit": audited, **asdict(policies)}
        result = multiverse(reading.runs(*runs), labels, measures, **options)
    reading.refuse_unused()
    if shown.plot is not None:
        for name, chart in charts(result).items():
            draw(chart, shown.plot if name == "curve" else chart_file(shown.plot, name, several=True))
    show(result, json=shown.json, output=shown.output, digits=shown.digits)
