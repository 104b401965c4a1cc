"""`dissensus experiment`: redo a table or figure of the papers, on files of yours or on generated data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.long_work import LongWork
from dissensus.cli.terminal.files import draw
from dissensus.reporting.charts.of_results import draw as drawn
from dissensus.studies.api import Experiment, experiment
from dissensus.studies.study import load


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
    if about and name is not None:
        module = load(name)
        click.echo((module.__doc__ or "").strip())
        click.echo("\nSettings: " + (", ".join(f"{k}={_written(v)}" for k, v in module.SETTINGS.items()) or "none"))
        return
    shown.check(plot)
    result = experiment(
        name, files or (), runs=runs or (), judgments=judgments or (), audit=audit, assessor=assessor, scale=scale,
        setting=setting or (), workers=workers, seed=seed, reading=reading.options,
    )  # fmt: skip
    if plot is not None and isinstance(result, Experiment):
        for chart, figure in result.figures.items():
            draw(drawn(figure), plot.with_name(f"{plot.stem}-{chart}{plot.suffix}"))
    shown.show(result)


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
