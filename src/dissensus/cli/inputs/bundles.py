"""The options that several commands have together: how judgments and runs are read, policies, what is shown.

A command takes each bundle as one parameter (see `expand`); what its options are for is a method of the bundle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dissensus.cli.inputs import options as opt
from dissensus.measures.policies import Policies

if TYPE_CHECKING:
    from dissensus.data.tables.judgments import Judgments
    from dissensus.data.tables.runs import Runs


@dataclass(frozen=True)
class StudyFiles:
    """Runs and judgments, or tables of scores instead."""

    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUNS", help="Run files or quoted globs, as in evaluate.", show_default=False),
    ] = None
    judgments: Annotated[
        list[str] | None,
        typer.Option("--judgments", "-j", metavar="FILE", help="Judgments; repeatable.", show_default=False),
    ] = None
    score_table: Annotated[
        list[str] | None,
        typer.Option(
            "--score-table", metavar="FILE", help="Per-topic scores, instead of runs and judgments; repeatable."
        ),
    ] = None
    gold: opt.GoldOption = None


@dataclass(frozen=True)
class Reading:
    """How judgments are read."""

    scale: opt.ScaleOption = None
    repeated: opt.RepeatedOption = "error"
    assessor_column: opt.AssessorColumnOption = False

    def judgments(self, paths: Sequence[str], **more: Any) -> Judgments:
        """The judgments of these files; `more` is for `read_judgments`."""
        from dissensus.data.readers.api import read_judgments

        who = "column" if self.assessor_column else None
        return read_judgments(*paths, assessor=who, scale=self.scale, repeated=self.repeated, **more)


@dataclass(frozen=True)
class RunReading(Reading):
    """How judgments and runs are read."""

    system: opt.SystemOption = None

    def runs(self, *paths: str) -> Runs:
        """The runs of these files."""
        from dissensus.data.readers.api import read_runs

        return read_runs(*paths, system=self.system)


@dataclass(frozen=True)
class _Assessor:
    assessor: opt.AssessorOption = None


@dataclass(frozen=True)
class AssessorReading(RunReading, _Assessor):
    """How files are read, and whose labels are used: the options of `RunReading` come after the assessor."""


@dataclass(frozen=True)
class _Merge:
    merge: Annotated[
        Literal["majority", "em-mv", "em-neu"] | None,
        typer.Option("--merge", help="Merge several assessors first: by majority vote or by EM."),
    ] = None


@dataclass(frozen=True)
class OneJudge(AssessorReading, _Merge):
    """How files are read, and how the labels of one judge come of them: one assessor's, or all merged."""

    def labels(self, paths: Sequence[str], seed: int) -> tuple[Judgments, list[str]]:
        """(labels of one judge, what was done to get them): the assessor named, or all of them merged."""
        found = self.judgments(paths)
        if self.merge is None:
            return (found if self.assessor is None else found.select(assessors=[self.assessor])), []
        from dissensus.errors import InputError
        from dissensus.judges.merging.api import merge
        from dissensus.work.plural import counted

        if self.assessor is not None:
            raise InputError("--merge and --assessor cannot be combined.", "Merge all assessors, or name one of them.")
        merged = merge(found, method=self.merge, seed=seed)
        said = f"bronze labels: {counted(len(found.assessors), 'assessor')} merged by {self.merge}"
        return merged.judgments, [said, *getattr(merged, "notes", ())]


@dataclass(frozen=True)
class PolicyOptions:
    """The four policies."""

    topics: opt.TopicsOption = Policies.topics
    unjudged: opt.UnjudgedOption = Policies.unjudged
    ties: opt.TiesOption = Policies.ties
    empty: opt.EmptyOption = Policies.empty

    def chosen(self) -> Policies:
        """The policies, checked."""
        return Policies(self.topics, self.unjudged, self.ties, self.empty)


@dataclass(frozen=True)
class _Ties:
    ties: opt.TiesOption = Policies.ties


@dataclass(frozen=True)
class TiesFirst(PolicyOptions, _Ties):
    """The four policies as `compare`, `gate`, `report` and `figures` list them."""


@dataclass(frozen=True)
class Inference:
    """How sure to be, and the seed of what is drawn on the way."""

    level: Annotated[float, typer.Option("--level", metavar="P", help="Level of intervals and tests.")] = 0.95
    seed: opt.SeedOption = 0


@dataclass(frozen=True)
class Saved:
    """Where tables go: to the terminal, as JSON, or to a file."""

    json: opt.JsonOption = False
    output: opt.OutputOption = None

    def check(self) -> None:
        """Refuse an output file that cannot be written, before the work is done."""
        from dissensus.cli.terminal.output import check_output

        check_output(self.output)

    @property
    def on_terminal(self) -> bool:
        """Does a person read it, rather than a program? Then long tables are cut and what is empty is left out."""
        return not self.json and self.output is None

    def emit(self, tables: Any, **about: Any) -> None:
        """Print or write tables; `about` them is what `terminal.output.emit` takes: title, footer, facts …"""
        from dissensus.cli.terminal.output import emit

        emit(tables, json=self.json, output=self.output, **about)


@dataclass(frozen=True)
class _Digits:
    digits: opt.DigitsOption = 4


@dataclass(frozen=True)
class Output(Saved, _Digits):
    """Where tables go, and with how many decimals."""

    def emit(self, tables: Any, **about: Any) -> None:
        """Print or write tables with so many decimals."""
        super().emit(tables, digits=self.digits, **about)


@dataclass(frozen=True)
class _Plot:
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="Draw it: .svg .png .pdf .html")] = None


@dataclass(frozen=True)
class ChartOutput(Output, _Plot):
    """Where a chart and tables go."""

    def check(self) -> None:
        """Refuse files that cannot be written, before the work is done."""
        from dissensus.cli.terminal.output import check_plot

        super().check()
        check_plot(self.plot)
