"""`dissensus check`: what files are, what is odd about them, and which commands they support."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from dissensus.cli.build import argument
from dissensus.cli.commands import load
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import Flags
from dissensus.io.check.findings import CheckReport
from dissensus.judging.checking import check_files


def command(
    files: Annotated[
        list[str],
        argument(metavar="FILES", help="Any files, folders or quoted globs: runs, labels, audits, clicks, features …"),
    ] = [],  # noqa: B006
    judgments: opt.JudgmentsOption = [],  # noqa: B006
    reading: opt.RunReading = opt.RunReading(),
    shown: opt.Saved = opt.Saved(),
    seed: opt.UnusedSeedOption = 0,
) -> None:
    """Look at files: what they are, what is odd about them, and which commands they support.

    Files are known by what is in them, not by their names. All that cannot be read are named, not only the first.
    Commands are written out, ready to copy. For those that cannot be run, it says what is missing. The exit status is 2
    where something makes scores impossible, else 0.

    Examples:
        dissensus check my-folder/
        dissensus check "runs/*" labels.csv audit.csv
        dissensus check preferences.csv
        dissensus check "runs/*.gz" -j "assessors/*.qrels" --scale 0..3 --json
    """
    shown.check()
    report = _in_flags(check_files(files or None, judgments or None, reading.options))
    shown.show(report)
    if not report.ok:
        raise SystemExit(2)


def _in_flags(report: CheckReport) -> CheckReport:
    """The report in flags of this command, or of `dissensus evaluate`, to which most findings send people."""
    flags = Flags.of(load("check"), evaluate=load("evaluate"))
    found = (replace(f, what=flags.text(f.what), fixes=tuple(flags.fixes(f.fixes))) for f in report.findings)
    return replace(report, findings=tuple(found))
