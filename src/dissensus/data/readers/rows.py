"""What every door gives: rows of (topic, document, who, value), where each came from, and what was done on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.data.tables.columns import Place, plain_column

Kind = Literal["runs", "judgments", "scores"]
ROLES: dict[str, tuple[str, ...]] = {
    "runs": ("system", "topic", "doc", "score"),
    "judgments": ("assessor", "topic", "doc", "grade"),
    "scores": ("assessor", "system", "topic", "measure", "value"),
}


@dataclass(frozen=True)
class Rows:
    """Columns of equal length by role; a role that is absent is named after the file (system, assessor)."""

    columns: dict[str, pl.Series]
    place: Place
    notes: tuple[str, ...] = ()
    scale: tuple[str, ...] | None = None  # where the file declares one
    comments: int = 0
    audit: bool = False  # the file holds inclusion probabilities
    named: bool = True  # the rows say who judged or ran

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def keep(self, rows: NDArray[np.intp], *notes: str) -> Rows:
        """Only some rows, with notes why."""
        columns = {role: c.gather(rows) for role, c in self.columns.items()}
        place = self.place
        return replace(self, columns=columns, place=lambda row: place(int(rows[row])), notes=(*self.notes, *notes))


@dataclass
class Sheet:
    """Rows as a door collects them, one by one."""

    kind: Kind
    values: dict[str, list[Any]] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)

    def add(self, place: str, **values: Any) -> None:
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
