"""What a check found: one finding per odd thing, and the report that holds them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import fixes_for
from dissensus.io.check.prescriptions import Prescription
from dissensus.io.check.recognise import Recognised
from dissensus.results import Result, Table, Tables

FEW = 4  # files of one folder that have a row each
Severity = Literal["error", "warning", "note"]
_ORDER = {"error": 0, "warning": 1, "note": 2}


@dataclass(frozen=True)
class Finding:
    """One odd thing: how bad, what, where (systems, assessors, files), how many, some of them, the fixes.

    An *error* makes scores impossible or meaningless; a *warning* moves them; a *note* is good to know.
    """

    severity: Severity
    what: str
    where: str = ""
    count: int = 1
    examples: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.severity}: {self.what}{f' ({self.where})' if self.where else ''}"]
        if self.examples:
            more = " …" if self.count > len(self.examples) else ""
            lines.append(f"  {', '.join(self.examples)}{more}")
        lines += [f"  {fix}" for fix in fixes_for("python", self.fixes)]
        return "\n".join(lines)

    def in_a_line(self) -> str:
        """The fixes, one after another."""
        return " ".join(fixes_for("python", self.fixes))


@dataclass(frozen=True)
class CheckReport(Result):
    """All findings, the worst first. `ok` is False where one of them is an error."""

    findings: tuple[Finding, ...]
    read: tuple[str, ...] = ()  # what was checked, in words
    files: tuple[Recognised, ...] = ()
    advice: tuple[Prescription, ...] = ()  # commands, and what those that cannot be run lack
    remarks: tuple[str, ...] = ()  # on the commands

    @classmethod
    def of(cls, findings: Iterable[Finding], read: Sequence[str] = ()) -> CheckReport:
        return cls(tuple(sorted(findings, key=lambda f: _ORDER[f.severity])), tuple(read))

    @property
    def ok(self) -> bool:
        return not any(f.severity == "error" for f in self.findings)

    def counts(self) -> dict[str, int]:
        """How many findings of each severity."""
        return {s: sum(f.severity == s for f in self.findings) for s in _ORDER}

    @property
    def facts(self) -> Values:
        """The single values of the result."""
        able = [{"command": p.command, "for": p.why, "line": p.line} for p in self.advice if not p.missing]
        return {"read": self.read, "ok": self.ok, **self.counts(), "commands": able}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        found = {"findings": Table.of(self._rows(), {"where": "the system, assessor, topic or file"})}
        return found | (self._about_files(shortened(self.files)) if self.files else {})

    def _about_files(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, Table]:
        """What the files are, and what commands that cannot be run lack."""
        lacking = [{"command": p.command, "for": p.why, "needs": p.missing} for p in self.advice if p.missing]
        schema = dict.fromkeys(("command", "for", "needs"), pl.String)
        what = dict.fromkeys(("file", "is", "holds"), pl.String)
        return {
            "files": Table.of(pl.DataFrame(rows, schema=what, orient="row"), {"holds": "what the file holds"}),
            "missing": Table.of(pl.DataFrame(lacking, schema=schema)),
        }

    @property
    def notes(self) -> tuple[str, ...]:
        """What was read, the commands that the files support, and how many oddities there are."""
        able = [f"{p.line}    # {p.why}" for p in self.advice if not p.missing]
        if self.advice and not able:
            able = ["no command can be run with these files alone."]
        return (*self.read, *able, *self.remarks, self.summary())

    def screen(self, whole: bool = False) -> Tables:
        """The report for people: oddities as sentences instead of rows."""
        tables = {name: table for name, table in self.tables.items() if name != "findings" and table.frame.height}
        return Tables(tables, notes=self.notes, claims=self.findings)

    def _rows(self) -> pl.DataFrame:
        """Polars frame severity, what, where, count, examples, way_out."""
        schema = {
            "severity": pl.String, "what": pl.String, "where": pl.String, "count": pl.Int64, "examples": pl.String,
            "way_out": pl.String,
        }  # fmt: skip
        rows = [(f.severity, f.what, f.where, f.count, ", ".join(f.examples), f.in_a_line()) for f in self.findings]
        return pl.DataFrame(rows, schema=schema, orient="row")

    def summary(self) -> str:
        """Counts in one line."""
        counts = [f"{n} {s}{'s' if n != 1 else ''}" for s, n in self.counts().items()]
        return ", ".join(counts)


def shortened(files: Sequence[Recognised]) -> list[tuple[str, str, str]]:
    """(file, what it is, what it holds); many files of one folder that hold as much of the same are one row.

    >>> some = [Recognised(f"runs/{i}.run", "runs", "1 system, 5 topics") for i in range(9)]
    >>> shortened([*some, Recognised("a.csv", "labels")])
    [('9 files in runs', 'runs', '1 system, 5 topics each'), ('a.csv', 'labels', '')]
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for f in files:
        groups.setdefault((str(Path(f.path).parent), f.what, f.holds or f.problem), []).append(f.path)
    out: list[tuple[str, str, str]] = []
    for (folder, what, holds), paths in groups.items():
        if len(paths) > FEW and what != "unknown":
            out.append((f"{len(paths)} files in {folder}", what, f"{holds} each"))
        else:
            out += [(path, what, holds) for path in paths]
    return out


def listed(severity: Severity, what: str, names: Iterable[str], *fixes: str, where: str = "") -> Iterator[Finding]:
    """One finding about all these names, the first few of them as examples; none where there are no names."""
    every = list(names)
    if every:
        yield Finding(severity, what, where, len(every), some(every), fixes)


def some(names: Iterable[str], most: int = 5) -> tuple[str, ...]:
    """The first few names."""
    return tuple(list(names)[:most])
