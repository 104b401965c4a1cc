"""What every door takes and gives: a JSON document with the place of each record, and rows of what was in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dissensus.errors import FileError
from dissensus.io.table import Rows
from dissensus.tables.columns import plain_column

Kind = Literal["runs", "judgments", "scores"]


@dataclass(frozen=True)
class ExportedFile:
    """`value` is what the file holds; `lines` are the lines of its records where it is JSON lines."""

    value: Any
    path: Path
    lines: tuple[int, ...] = ()

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """The objects of a list (or of JSON lines); empty where the file is something else."""
        value = self.value
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            return value
        return []

    def place(self, record: int, *inside: object) -> str:
        """Where a record, or something inside it, is."""
        start = f"{self.path}:{self.lines[record]}" if self.lines else f"{self.path}, record {record + 1}"
        return ", ".join([start, *map(str, inside)])

    def all_have(self, *keys: str) -> bool:
        """Does every record have these keys?"""
        return bool(self.records) and all(key in record for record in self.records for key in keys)

    def wrong(self, place: str, what: str, *ways_out: str) -> FileError:
        """The error for something at a place that breaks the format."""
        return FileError(f"{place}: {what}.", *ways_out)


def text(value: object) -> str | None:
    """An id or text as it is used: without blanks at its ends and without line breaks; None where there is none."""
    if value is None or isinstance(value, dict | list):
        return None
    return " ".join(str(value).split()) or None


def number(value: object) -> float | int | None:
    """A number as it is, true and false as 1 and 0, a text that writes a number as that number; else None."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float):
        return None if value != value else value
    if isinstance(value, str):
        try:
            found = float(value)
        except ValueError:
            return None
        return int(found) if found.is_integer() and abs(found) < 1e15 else found if found - found == 0 else None
    return None


def list_of(value: object) -> Sequence[Any]:
    """A list as it is, nothing for anything else."""
    return value if isinstance(value, list) else []


@dataclass
class Sheet:
    """Rows as a door collects them, one by one."""

    kind: Kind
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)

    def add(self, place: str, **values: object) -> None:
        """One row; every row of a sheet has the same roles."""
        for role, value in values.items():
            self.values.setdefault(role, []).append(value)
        self.places.append(place)

    def __bool__(self) -> bool:
        return bool(self.places)

    def rows(self, *notes: str, scale: tuple[str, ...] | None = None) -> Rows:
        """All rows, with notes on what was mapped and dropped."""
        columns = {role: plain_column(role, values) for role, values in self.values.items()}
        who = "system" if self.kind == "runs" else "assessor"
        return Rows(columns, self.places.__getitem__, tuple(n for n in notes if n), scale, named=who in columns)


def dropped(count: int, total: int, why: str) -> str:
    """The note on values that a file marks as missing; nothing where there are none.

    >>> dropped(3, 940, "could not be parsed by the judge")
    '3 of 940 judgments could not be parsed by the judge: treated as missing'
    """
    return f"{count:,} of {total:,} judgments {why}: treated as missing" if count else ""
