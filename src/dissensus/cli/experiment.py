"""`dissensus experiment`: redo a table or figure of the papers, on files of yours or on generated data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click
import polars as pl

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.terminal.files import draw
from dissensus.cli.terminal.output import emit
from dissensus.reporting.charts.of_results import draw as drawn
from dissensus.studies.study import STUDIES, Request, load, settings


def command(
    name: Annotated[str | None, argument(metavar="NAME", help="The experiment; without it, their list.")] = None,
    files: Annotated[list[str] | None, argument(metavar="FILES", help="Its files, where it takes any.")] = None,
    runs: Annotated[list[str] | None, option("--runs", "-r", metavar="FILE", help="Runs; repeatable.")] = None,
    judgments: Annotated[
        list[str] | None, option("--judgments", "-j", metavar="FILE", help="Judgments; repeatable.")
    ] = None,
    audit: opt.AuditOption = None,
    assessor: opt.AssessorOption = None,
    scale: opt.ScaleOption = None,
    reading: opt.FileReading = opt.FileReading(),
    setting: Annotated[
        list[str] | None, option("--set", "-s", metavar="NAME=VALUE", help="A setting; --about lists them.")
    ] = None,
    about: Annotated[bool, option("--about", help="What the experiment does, and its settings.")] = False,
    plot: Annotated[
        Path | None,
        option("--plot", metavar="FILE", help="Draw its charts: FILE with each chart's name before the ending."),
    ] = None,
    workers: Annotated[
        int | None, option("--workers", metavar="N", help="Processes to use; all cores without it.", min=1)
    ] = None,
    seed: opt.SeedOption = 0,
    shown: opt.Output = opt.Output(),
    work: LongWork = LongWork(),
) -> None:
    """Redo a table or figure of the papers dissensus builds on.

    Example:
        dissensus experiment
        dissensus experiment balancing --set trials=1000 --plot balancing.svg
        dissensus experiment markov --runs "runs/*" --judgments qrels.txt --output markov.json
    """
    if name is None:
        _list(shown.json)
        return
    module = load(name)
    if about:
        click.echo((module.__doc__ or "").strip())
        click.echo("\nSettings: " + (", ".join(f"{k}={_written(v)}" for k, v in module.SETTINGS.items()) or "none"))
        return
    shown.check(plot)
    request = Request(
        runs=runs or (),
        judgments=judgments or (),
        audit=audit,
        files=files or (),
        assessor=assessor,
        scale=scale,
        reading=reading.options,
        workers=workers,
        seed=seed,
        settings=settings(module.SETTINGS, setting or ()),
    )
    outcome = module.run(request)
    if plot is not None:
        for chart, figure in outcome.figures.items():
            draw(drawn(figure), plot.with_name(f"{plot.stem}-{chart}{plot.suffix}"))
    shown.emit(
        outcome.tables,
        title=f"Experiment {name}",
        footer=list(outcome.notes),
        facts={"settings": dict(request.settings), "seed": seed, **outcome.facts},
    )


def _list(json: bool) -> None:
    lines = [(load(name).__doc__ or "").strip().splitlines()[0] for name in STUDIES]
    emit(
        pl.DataFrame({"experiment": STUDIES, "about": lines}, schema={"experiment": pl.String, "about": pl.String}),
        json=json,
        title="Experiments",
        footer="dissensus experiment NAME --about says more",
    )


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
