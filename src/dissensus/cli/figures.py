"""`dissensus figures`: every chart as a file for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.report import read_study
from dissensus.cli.terminal.messages import say
from dissensus.cli.terminal.output import show
from dissensus.errors import OutputError
from dissensus.measures.policies import DEFAULT_MEASURES
from dissensus.reporting.figures import WrittenFigures, write_figures


def command(
    files: opt.StudyFiles = opt.StudyFiles(),
    output: Annotated[Path, option("--output", "-o", metavar="FOLDER", help="The folder to write figures to.")] = Path(
        "figures"
    ),
    measures: opt.MeasuresOption = [*DEFAULT_MEASURES],  # noqa: B006
    format: Annotated[
        list[str],
        option("--format", "-f", metavar="FORMAT", help="Formats to write: svg, pdf, png; repeatable."),
    ] = ["svg", "pdf", "png"],  # noqa: B006
    width: Annotated[Literal["column", "page"], option("--width")] = "column",
    audit: opt.AuditOption = None,
    truth: opt.TruthOption = None,
    reading: opt.AssessorReading = opt.AssessorReading(),
    policies: opt.TiesFirst = opt.TiesFirst(),
    json: opt.JsonOption = False,
    seed: opt.SeedOption = 0,
) -> None:
    """Write every chart of the report, and precision-recall curves, as SVG, PDF and PNG, sized for a paper.

    A caption of every figure, which says what was computed, is written into its SVG and into captions.md.

    Examples:
        dissensus figures runs/* --judgments labels.csv -m nDCG@10 -o figures/
        dissensus figures --score-table leaderboard.csv -m nDCG@10 -o figures/
    """
    unknown = sorted(set(format) - {"svg", "pdf", "png"})
    if unknown:
        raise OutputError(f"--format {unknown[0]}: figures are written as svg, pdf or png.")
    if output.exists() and not output.is_dir():
        raise OutputError(f"--output {output} is a file; figures go into a folder.")
    study = read_study(
        files, measures, reading, audit=audit, truth=truth, assessor=reading.assessor, seed=seed,
        policies=policies.chosen(), label="figures",
    )  # fmt: skip
    written = write_figures(study, output, formats=format, width=width)
    say("note", f"wrote {len(written)} files to {output}")
    if json:
        show(WrittenFigures(written), json=True)
