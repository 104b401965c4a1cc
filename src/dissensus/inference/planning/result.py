"""What `plan` gives: the documents to audit, what they will show, and how both are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import DissensusError, InputError
from dissensus.io.excel import write_excel
from dissensus.results import Result, Table, Tables, single_values
from dissensus.tables.design import Coverage, Frame, frame_path
from dissensus.work.atomic import atomic_path

if TYPE_CHECKING:
    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.outcome import Outcome

SAMPLES = (".csv", ".tsv", ".parquet", ".xlsx")  # how a sample can be written


@dataclass(frozen=True, eq=False)
class Plan(Result):
    """What to audit (`sample`, to be graded and given back as an audit), what it will show (`table`), what it cannot.

    `labels` and `queries`: audited documents, or topics, needed for the difference asked about. They are NaN where it
    was not named or where no audit can settle it (`sentence` says which). `write` keeps the sample with the
    probabilities of all documents (`everyone`) next to it. An audit that has lost those is corrected with guessed ones,
    at a cost.
    """

    sample: pl.DataFrame
    table: pl.DataFrame
    labels: float
    queries: float
    sentence: str
    pair: tuple[str, str]
    budget: float
    notes: tuple[str, ...] = ()
    everyone: pl.DataFrame = field(repr=False, default=None)  # type: ignore[assignment]  # π of every document
    command: str = "plan"  # what rebuilds it, runs and labels aside
    covers: Coverage = field(default_factory=Coverage)
    options: pl.DataFrame | None = field(repr=False, default=None)  # what the budget buys
    topics: int | None = None  # topics drawn first, where documents were drawn within them
    conclude: Callable[[], Outcome] | None = field(default=None, repr=False)

    @cached_property
    def outcome(self) -> Outcome:
        """What is concluded before these labels: if the judge's are right, or from the audit made before."""
        if self.conclude is None:
            raise InputError("this plan was made without the labels behind it: it has no outcome.")
        return self.conclude()

    @cached_property
    def _headline(self) -> Claim | None:
        """The headline of the outcome; None where there is no answer yet."""
        try:
            return self.outcome.headline
        except DissensusError:
            return None

    @property
    def design(self) -> str:
        """What a file of the sample says of how it was drawn: the command, and a checksum of the probabilities."""
        return Frame(self.everyone, self.command, self.sample.height, self.topics).design

    @property
    def facts(self) -> Values:
        """The single values of the result."""
        known = None if self._headline is None else self.outcome.to_dict()
        return {**single_values(self), "covers": str(self.covers), "design": self.design, "outcome": known}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        bought = {} if self.options is None else {"options": Table.of(self.options)}
        return {"precision": Table.of(self.table), "sample": Table.of(self.sample), **bought}

    def write(self, path: str | Path) -> list[Path]:
        """Write the sample (.csv, .tsv, .parquet or .xlsx) and its frame, NAME.frame.parquet; returns both files.

        A committed order holds all its probabilities itself and has no frame beside it.
        """
        target = Path(path)
        if "draw" in self.sample.columns:
            return [_write(self.sample, target)]
        self.write_frame(frame_path(target))
        marked = self.sample.with_columns(design=pl.lit(self.design))
        return [_write(marked, target), frame_path(target)]

    def write_frame(self, path: str | Path) -> Path:
        """Write the probabilities of all documents alone, for a sample that has lost them."""
        return _write(self.everyone, Path(path))

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"What an audit can tell about {self.pair[0]} and {self.pair[1]}"

    @property
    def claims(self) -> list[object]:
        """What the audit can settle, and what is concluded without it."""
        return [self.sentence, *([] if self._headline is None else [self._headline])]

    def screen(self, whole: bool = False) -> Tables:
        """What it shows with how many labels; what the budget buys, too, where `whole`."""
        tables = {name: table for name, table in self.tables.items() if name == "precision" or whole}
        return Tables(tables, self.title, self.notes, claims=self.claims)


def _write(frame: pl.DataFrame, path: Path) -> Path:
    suffix = path.suffix.lower()
    if suffix not in SAMPLES:
        raise InputError(f"{path}: the ending says the format, and must be {', '.join(SAMPLES)}.")
    with atomic_path(path) as temporary:
        if suffix == ".parquet":
            frame.write_parquet(temporary)
        elif suffix == ".xlsx":
            write_excel(frame, Path(temporary))
        else:
            frame.write_csv(temporary, separator="\t" if suffix == ".tsv" else ",")
    return path
