"""`dissensus weights`: what each grade is worth when users disagree about the top."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from dissensus.cli.build import option
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.files import draw, write_text
from dissensus.judging.disagreement.api import disagreement
from dissensus.reporting.charts.disagreement import probability_chart
from dissensus.tables.topic_groups import read_groups

if TYPE_CHECKING:
    pass


def command(
    judgments: opt.JudgmentsArgument,
    top: Annotated[str | None, option("--top", metavar="GRADE")] = None,
    at_least: Annotated[int, option("--at-least", metavar="M", help="At least M users …", min=0)] = 1,
    of: Annotated[int, option("--of", metavar="N", help="… of N would say top.", min=1)] = 3,
    zero: Annotated[
        list[str] | None,
        option("--zero", metavar="GRADE", help='Grades that weigh 0, such as Non or "*, Non"; "" for none.'),
    ] = None,
    min_labels: Annotated[int, option("--min-labels", metavar="N", min=2)] = 2,
    runs: Annotated[
        list[str] | None, option("--runs", metavar="FILE", help="Only documents that these runs retrieve.")
    ] = None,
    depth: Annotated[int | None, option("--depth", metavar="K", min=1)] = None,
    lists: Annotated[
        Literal["all", "top", "no-top"],
        option(
            "--lists",
        ),
    ] = "all",
    groups: Annotated[str | None, option("--groups", metavar="FILE")] = None,
    repeats: Annotated[
        Literal["separate", "others"],
        option("--repeats"),
    ] = "separate",
    negative: opt.NegativeOption = "unjudged",
    level: Annotated[float, option("--level", metavar="P")] = 0.95,
    reading: opt.Reading = opt.Reading(repeated="keep"),
    plot: Annotated[
        Path | None, option("--plot", metavar="FILE", help="Draw p(top | grade): .svg .png .pdf .html")
    ] = None,
    shown: opt.Output = opt.Output(digits=3),
    seed: opt.UnusedSeedOption = 0,
) -> None:
    """Grade weights from how users disagree about the grades.

    The weight of a grade is the chance that at least M of N users would say top, one of them having given the grade.
    With -o weights.json the weights are written as gains for `dissensus evaluate --gains weights.json`.

    Example:
        dissensus weights labels.csv --scale Non,Rel,HRel --at-least 1 --of 3 -o weights.json
        dissensus weights fedweb.csv --label snippet --label page --top "Sure, Key" --zero "*, Non"
    """
    shown.check(plot)
    found = reading.judgments(judgments)
    systems = reading.runs(*runs) if runs else None
    reading.refuse_unused()
    result = disagreement(
        found,
        top,
        repeats=repeats,
        min_labels=min_labels,
        runs=systems,
        depth=depth,
        lists=lists,
        groups=read_groups(groups) if groups else None,
        negative=negative,
        level=level,
    )
    nothing = None if zero is None else [z for z in zero if z]
    result = replace(
        result, users=(at_least, of), zero=nothing, remarks=tuple(dict.fromkeys((*found.notes, *result.remarks)))
    )
    if plot is not None:
        draw(probability_chart(result.to_frame(), str(result.top)), plot)
    if shown.output is not None and shown.output.suffix.lower() == ".json":
        gains = result.gains_json(at_least, of, zero=nothing) + "\n"
        write_text(shown.output, gains, f": gains for dissensus evaluate --gains {shown.output}")
        shown = replace(shown, output=None)
    shown.show(result)
