"""`dissensus check`: everything that is odd about runs and judgments, before any number is computed."""

from __future__ import annotations

import sys
from dataclasses import replace

from dissensus.cli.commands import load
from dissensus.cli.inputs import options as opt
from dissensus.cli.terminal.messages import Flags
from dissensus.errors import DissensusError, FileError
from dissensus.io.check.api import check_with
from dissensus.io.check.findings import CheckReport, Finding
from dissensus.io.judgment_rows import are_preferences
from dissensus.judging.preferences.reading import read_preferences


def command(
    runs: opt.RunsArgument = [],  # noqa: B006
    judgments: opt.JudgmentsOption = [],  # noqa: B006
    reading: opt.RunReading = opt.RunReading(),
    shown: opt.Saved = opt.Saved(),
    seed: opt.UnusedSeedOption = 0,
) -> None:
    """Say everything that is odd about runs and judgments, before any number is computed.

    Files that cannot be read (all of them, not only the first), topics that are missing or have nothing relevant,
    tied, constant, short and identical rankings, unjudged documents, assessors with one grade or few labels.
    Of preferences: contradictions, circles, a liking for the first place, documents that were never compared.
    The exit status is 2 where something makes scores impossible, else 0.

    Examples:
        dissensus check "runs/*" --judgments labels.csv
        dissensus check preferences.csv
        dissensus check "runs/*.gz" -j "assessors/*.qrels" --scale 0..3 --json
    """
    shown.check()
    preferences = _preferences(runs, judgments)
    if preferences == runs:
        runs = []
    if preferences == judgments:
        judgments = []
    parts = [_of_preferences(preferences)] if preferences else []
    if runs or judgments or not preferences:
        parts.append(check_with(runs or None, judgments or None, reading.options))
    report = _in_flags(_together(parts))
    if shown.on_terminal:
        sys.stdout.write(f"{report}\n")
    else:
        facts = {"ok": report.ok, **report.counts()}
        shown.emit(report.to_frame(), title="Check", footer=[*report.read, report.summary()], facts=facts)
    if not report.ok:
        raise SystemExit(2)


def _preferences(runs: list[str], judgments: list[str]) -> list[str]:
    """The files that hold preferences: those of --judgments, or the arguments where there are no judgments."""
    for files in (judgments, [] if judgments else runs):
        try:
            if files and are_preferences(files):
                return files
        except FileError:  # a file that is not there is one of the check's findings
            continue
    return []


def _of_preferences(files: list[str]) -> CheckReport:
    from dissensus.judging.preferences.check import check_preferences

    try:
        given = read_preferences(*files)
    except DissensusError as error:
        return CheckReport.of([Finding("error", error.what, fixes=error.fixes)])
    return CheckReport.of(check_preferences(given), [repr(given)])


def _together(parts: list[CheckReport]) -> CheckReport:
    return CheckReport.of((f for part in parts for f in part.findings), [line for part in parts for line in part.read])


def _in_flags(report: CheckReport) -> CheckReport:
    """The report in flags of this command, or of `dissensus evaluate`, to which most findings send people."""
    flags = Flags.of(load("check"), evaluate=load("evaluate"))
    found = (replace(f, what=flags.text(f.what), fixes=tuple(flags.fixes(f.fixes))) for f in report.findings)
    return replace(report, findings=tuple(found))
