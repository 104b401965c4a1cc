"""What a check found: one finding per odd thing, and the report that holds them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import polars as pl

from dissensus.errors import fixes_for
from dissensus.results import Result, Table, single_values

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
    """All findings, the worst first; `ok` is False where one of them is an error."""

    findings: tuple[Finding, ...]
    read: tuple[str, ...] = ()  # what was checked, in words

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
    def facts(self) -> dict[str, Any]:
        """The single values of the result."""
        return {**single_values(self), "ok": self.ok}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"findings": Table.of(self._rows())}

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

    def __str__(self) -> str:
        return "\n".join([*self.read, *map(str, self.findings), self.summary()])


def _plain(finding: Finding) -> dict[str, object]:
    fields = asdict(finding)
    del fields["fixes"]
    return fields | {"way_out": finding.in_a_line()}


def listed(severity: Severity, what: str, names: Iterable[str], *fixes: str, where: str = "") -> Iterator[Finding]:
    """One finding about all these names, the first few of them as examples; none where there are no names."""
    every = list(names)
    if every:
        yield Finding(severity, what, where, len(every), some(every), fixes)


def some(names: Iterable[str], most: int = 5) -> tuple[str, ...]:
    """The first few names."""
    return tuple(list(names)[:most])
