"""Preferences merged into one order of each topic's documents, as grades that `Compat` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from dissensus.results import Result, Table

if TYPE_CHECKING:
    from dissensus.judging.preferences.api import PreferenceResult
    from dissensus.tables.judgments import Judgments

COLUMNS = ("topic", "item", "grade", "strength", "se", "low", "high")
GRADE = "place in the order of the topic, the least preferred 1; for Compat, which goes by order alone"


@dataclass(frozen=True, eq=False)
class MergedOrder(Result):
    """One order of the documents of each topic, from the answers of all assessors."""

    found: PreferenceResult = field(repr=False)

    @property
    def title(self) -> str:
        """What stands above the table."""
        return "Order by preferences"

    @cached_property
    def judgments(self) -> Judgments:
        """The order as grades."""
        return self.found.judgments()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        grades = self.judgments.to_frame()
        rows = self.found.strengths.join(grades, left_on=["topic", "item"], right_on=["topic", "doc"])
        rows = rows.sort(["topic", "strength"], descending=[False, True]).select(COLUMNS)
        return {"order": Table.of(rows, {"grade": GRADE}, level=self.found.level)}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the answers, and what a grade is."""
        return (*self.found.notes, f"grade: the {GRADE}")
