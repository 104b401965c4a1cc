"""`check`: what files are, what is odd about them, and which commands they support.

Files are known by what is in them, not by their names. Every file is looked at, also after the first that cannot be
read. Runs and labels are checked together, preferences by themselves.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Unpack

from dissensus.errors import DissensusError, FileError, Fix, InputError
from dissensus.io.check.api import are_paths, check_with
from dissensus.io.check.findings import CheckReport, Finding
from dissensus.io.check.prescriptions import Cabinet, prescribe
from dissensus.io.check.recognise import Recognised, recognise
from dissensus.io.converted.manifest import NAME, is_converted
from dissensus.io.files import PathLike
from dissensus.io.judgment_rows import looks_like_preferences
from dissensus.io.options import ReadKeywords, ReadOptions, spelled_out
from dissensus.judging.preferences.check import check_preferences
from dissensus.judging.preferences.reading import dimensions_of, read_preferences
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs
from dissensus.wording import counted

Paths = PathLike | Iterable[PathLike]


@spelled_out
def check(
    files: Runs | Paths | None = None,
    judgments: Judgments | Paths | None = None,
    *,
    system: Literal["file", "tag"] | None = None,
    assessor: str | None = None,
    **reading: Unpack[ReadKeywords],
) -> CheckReport:
    """Look at files: what they are, what is odd about them, and which commands they support.

    All files that cannot be read are named, not only the first. Odd are topics that are missing or have nothing
    relevant. So are rankings that are tied, constant, short or identical, and assessors with one grade or few labels.
    Of preferences, contradictions, circles, a liking for the first place, and documents that were never compared.

    Parameters
    ----------
    files
        Any files, folders or globs: runs, labels, audits, preferences, clicks, features … Or Runs, a frame, a dict.
    judgments
        The labels, where they are not among the files: Judgments, paths, a frame or a dict.
    system
        Name systems after their file, or after the tag in the run.
    assessor
        In qrels files: file, column, or the name of the one assessor.

    Returns
    -------
    CheckReport
        `.ok` is False where scores are impossible, and `.findings` has every oddity. Its tables:

        - `findings`: severity, what, where, count, examples, way_out
        - `files`: file, is, holds
        - `missing`: command, for, needs

    Examples
    --------
    >>> import dissensus as ds
    >>> runs = {"a": {1: {"x": 1.0, "y": 1.0}}, "b": {2: {"x": 1.0}}}
    >>> ds.check(runs, {"ann": {1: {"x": 1, "y": 0}}}).summary()
    '1 error, 4 warnings, 2 notes'
    """
    found = ReadOptions.of(**reading)
    options = replace(
        found, runs=replace(found.runs, system=system), judgments=replace(found.judgments, assessor=assessor)
    )
    return check_files(files, judgments, options)


def check_files(files: object, judgments: object, options: ReadOptions) -> CheckReport:
    """The same with the options of reading as one value."""
    if files is None and judgments is None:
        raise InputError(
            "there is nothing to check: neither runs nor judgments were given.",
            Fix('Name them: check("runs/*", "labels.csv").', reader="python"),
            Fix("Name files or folders: dissensus check runs/ labels.csv", reader="command"),
        )
    sorted_out = _Sorted.of(files, judgments, options)
    reports = [sorted_out.preferences_report()] if sorted_out.preferences else []
    runs, labels = sorted_out.runs, sorted_out.labels
    if runs is not None or labels is not None:
        reports.append(check_with(runs, labels, options))
    read = [line for report in reports for line in report.read]
    found = [finding for report in reports for finding in report.findings]
    report = CheckReport.of([*sorted_out.findings, *found], read)
    if not sorted_out.known:
        return report
    cabinet = Cabinet(tuple(sorted_out.known))
    return replace(report, files=cabinet.files, advice=tuple(prescribe(cabinet)), remarks=_remarks(cabinet))


@dataclass
class _Sorted:
    """What was given, by what it is."""

    runs: Any
    labels: Any
    preferences: list[str]
    known: list[Recognised]
    findings: list[Finding]

    @classmethod
    def of(cls, files: object, judgments: object, options: ReadOptions) -> _Sorted:
        """Files are recognised. With `judgments`, a file that is nothing known is held to be a run, and refused so."""
        if not are_paths(files) and not are_paths(judgments):
            return cls(files, judgments, [], [], [])
        known: list[Recognised] = []
        findings: list[Finding] = []
        kinds: dict[str, list[str]] = {"runs": [], "labels": [], "preferences": []}
        for path, named in _expanded(_listed(files)) if are_paths(files) else ():
            found = _looked_at(path, options, findings, quiet=judgments is not None)
            known += found
            if not found and judgments is not None:
                kinds["runs"].append(path)  # the reader of runs says what is wrong with it
            for one in found:
                if one.what in kinds:
                    kinds[one.what].append(one.path)
                elif one.what == "unknown" and named and judgments is not None:
                    kinds["runs"].append(one.path)
                elif one.what == "unknown":
                    findings.append(Finding("error" if named else "note", one.problem, one.path))
        for path in _listed(judgments) if are_paths(judgments) else ():
            found = _looked_at(path, options, findings, quiet=True)
            known += found
            for name in [one.path for one in found] or [path]:
                is_preferences = any(one.path == name and one.what == "preferences" for one in found)
                kinds["preferences" if is_preferences else "labels"].append(name)
        other = None if files is None or are_paths(files) else files
        given = None if judgments is None or are_paths(judgments) else judgments
        return cls(kinds["runs"] or other, kinds["labels"] or given, kinds["preferences"], known, findings)

    def preferences_report(self) -> CheckReport:
        """What is odd about the preferences."""
        findings: list[Finding] = []
        read: list[str] = []
        try:
            several: list[str | None] = [*dimensions_of(*self.preferences)]
            for dimension in several or [None]:
                given = read_preferences(*self.preferences, dimension=dimension)
                about = "" if dimension is None else f"{dimension}: "
                findings += [replace(f, what=f"{about}{f.what}") for f in check_preferences(given)]
                read.append(f"{about}{given!r}")
        except DissensusError as error:
            return CheckReport.of([Finding("error", error.what, fixes=error.fixes)])
        return CheckReport.of(findings, read)


def _listed(paths: Any) -> list[str]:
    return [os.fspath(paths)] if isinstance(paths, str | os.PathLike) else [os.fspath(p) for p in paths]


def _expanded(paths: list[str]) -> Iterable[tuple[str, bool]]:
    """(path, whether it was named itself) of every path; of a folder the files in it."""
    for path in paths:
        if Path(path).is_dir():
            inside = sorted(p for p in Path(path).rglob("*") if p.is_file() and not _hidden(p.relative_to(path)))
            yield from ((str(p), False) for p in inside if p.name != NAME or not is_converted(p.parent))
        else:
            yield path, True


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _looked_at(path: str, options: ReadOptions, findings: list[Finding], *, quiet: bool) -> list[Recognised]:
    """What the files behind a path are; a path that leads nowhere is a finding, unless another reader says it."""
    file = path.partition("=")[2] if "=" in path and not Path(path).exists() else path  # NAME=FILE names an assessor
    try:
        return [_preferences(one) or replace(one, path=path if file != path else one.path)
                for one in recognise(file, options)]  # fmt: skip
    except FileError as error:
        if not quiet:
            findings.append(Finding("error", error.what, fixes=error.fixes))
        return []


def recognised_files(path: str, options: ReadOptions) -> list[Recognised]:
    """What the files behind a path are, preferences among them; a path that leads nowhere is an error."""
    return [_preferences(one) or one for one in recognise(path, options)]


def _preferences(found: Recognised) -> Recognised | None:
    """The file as preferences, where it is one: four columns that end in a document look like labels with names."""
    if found.what not in ("unknown", "labels", "topic texts"):
        return None
    try:
        if not looks_like_preferences(Path(found.path)):
            return None
        several = dimensions_of(found.path)
        given = read_preferences(found.path, dimension=several[0] if several else None)
    except OSError:
        return None
    except DissensusError:  # `preferences_report` says what is wrong with it
        return Recognised(found.path, "preferences", "")
    about = f" about {several[0]}, one of {len(several)} dimensions" if several else ""
    holds = f"{counted(len(given), 'answer')}{about}, {counted(len(given.assessors), 'assessor')}"
    return Recognised(found.path, "preferences", holds, topics=given.topics)


def _remarks(cabinet: Cabinet) -> tuple[str, ...]:
    """What the commands that are written out leave open."""
    lines = []
    if cabinet.other_scales:
        names = ", ".join(f.path for f in cabinet.other_scales)
        lines.append(f"left out, because their grades end elsewhere than those of the other labels: {names}")
    if len(cabinet.assessors) > 1:
        named = ", ".join(cabinet.assessors[:8])
        lines.append(f"where one assessor is taken, --assessor names it: {named}")
    return tuple(lines)
