"""A JSON file as the doors see it: one value, or the records of JSON lines, with the place of each record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.errors import FileError


@dataclass(frozen=True)
class Document:
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


def text(value: Any) -> str | None:
    """An id or text as it is used: without blanks at its ends and without line breaks; None where there is none."""
    if value is None or isinstance(value, dict | list):
        return None
    return " ".join(str(value).split()) or None


def number(value: Any) -> float | int | None:
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


def list_of(value: Any) -> Sequence[Any]:
    """A list as it is, nothing for anything else."""
    return value if isinstance(value, list) else []
