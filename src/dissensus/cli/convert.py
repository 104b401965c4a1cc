"""`dissensus convert`: files of any size into a folder of Parquet, from which every command reads."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

from dissensus.cli.build import argument, option
from dissensus.cli.inputs import options as opt
from dissensus.cli.inputs.reading import AssessorColumnOption, ScaleOption, SystemOption
from dissensus.cli.terminal.output import show
from dissensus.io.options import ReadKeywords, ReadOptions
from dissensus.judging.converting import convert_with


@dataclass(frozen=True)
class _Rows:
    missing: Annotated[Literal["error", "skip"] | None, option()] = None
    scale: ScaleOption = None
    assessor_column: AssessorColumnOption = False
    system: SystemOption = None


@dataclass(frozen=True)
class ConvertReading(opt.TableReading, _Rows):
    """How files are read whose rows are kept as they are: labels are mapped and cut when the folder is read."""

    def _keywords(self) -> ReadKeywords:
        return {**super()._keywords(), "missing": self.missing, "scale": self.scale}

    def _options(self) -> ReadOptions:
        found = super()._options()
        who = "column" if self.assessor_column else None
        return replace(
            found, judgments=replace(found.judgments, assessor=who), runs=replace(found.runs, system=self.system)
        )


def command(
    output: Annotated[Path, opt.output_file("The folder to write; it is made.")],
    files: Annotated[
        list[str],
        argument(metavar="FILES", help="Files or quoted globs: runs, judgments, preferences, scores."),
    ] = [],  # noqa: B006
    judgments: opt.JudgmentsOption = [],  # noqa: B006
    preferences: Annotated[list[str], option("--preferences", metavar="FILE", show_default=False)] = [],  # noqa: B006
    score_table: Annotated[list[str], option("--score-table", metavar="FILE", show_default=False)] = [],  # noqa: B006
    parts: Annotated[int | None, option("--parts", metavar="N")] = None,
    reading: ConvertReading = ConvertReading(),
    json: opt.JsonOption = False,
    seed: opt.UnusedSeedOption = 0,
) -> None:
    """Convert files of any size into one folder of Parquet files, divided by topic, from which every command reads.

    Memory is bounded, whatever the size of runs and judgments. The same command goes on where an interrupted one
    stopped. Afterwards give the folder wherever runs or judgments are asked for.

    Examples:
        dissensus convert "runs/*.gz" labels.csv -o data/
        dissensus evaluate data/ -j data/ -m AP -m nDCG@10
        dissensus convert "runs/*" -j ann=a.qrels -j llm=b.qrels --scale 0..3 -o data/
    """
    named = {"judgments": judgments, "preferences": preferences, "scores": score_table}
    show(convert_with(files, output, named, reading.options, parts), json=json)  # type: ignore[arg-type]
