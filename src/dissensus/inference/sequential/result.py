"""What an audit in order says, as one value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import polars as pl

from dissensus.inference.sequential.closing import Closing
from dissensus.inference.sequential.several import PairRow
from dissensus.inference.sequential.stop import Verdict
from dissensus.results import Result, Table, Tables

SHOWN = 10
LAST = 12  # looks on a screen


@dataclass(frozen=True)
class Verdicts:
    """The verdicts on several pairs or scores."""

    each: tuple[Verdict, ...]

    @property
    def decided(self) -> int:
        return sum(v.state != "open" for v in self.each)

    @property
    def open(self) -> int:
        return len(self.each) - self.decided

    @property
    def state(self) -> str:
        return "open" if self.open else "decided"

    @property
    def headline(self) -> str:
        """How many are decided, or, of single scores, known as precisely as was asked for."""
        scores = all(v.b is None for v in self.each)
        what = "scores are known precisely enough" if scores else "pairs are decided"
        return f"{self.decided:,} of {len(self.each):,} {what}."

    def __str__(self) -> str:
        head = self.headline
        some = [str(v) for v in sorted(self.each, key=lambda v: v.state != "open")[:SHOWN]]
        more = [f"… and {len(self.each) - SHOWN:,} more in the table."] if len(self.each) > SHOWN else []
        return "\n".join((head, *some, *more))


@dataclass(frozen=True, eq=False)
class SequentialResult(Result):
    """`table`: labels, a, b, estimate, low, high, decided, one row per look and pair. `decided_at`: the labels after
    which what was asked was decided (all of it, where several pairs were), None while it is open. `forecast`: labels in
    all after which that is expected, if the difference is as large as it looks now. `forecast_if_half`: if it is half
    as large. None where no number of labels will decide it. `details`: which set ruled, m_t,
    and what new topics and assessors added. `closing`: the ordinary estimate, widened for having looked.
    """

    table: pl.DataFrame
    decided_at: int | None
    verdict: Verdict | Verdicts
    forecast: int | None
    forecast_if_half: int | None
    measure: str
    level: float
    labels: int
    details: pl.DataFrame = field(repr=False)
    closing: Closing | None = None
    notes: tuple[str, ...] = ()

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"looks": Table.of(self.table, level=self.level)}

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return f"{self.measure} after every label"

    @property
    def claims(self) -> list[str]:
        """The verdict, and the labels that it would take."""
        lines = [f"{self.measure}: {line}" for line in str(self.verdict).splitlines()]
        if self.decided_at is None and self.forecast is not None and self.forecast_if_half is not None:
            lines.append(
                f"labels in all: about {self.forecast:,} if the difference is as large as it looks now, "
                f"{self.forecast_if_half:,} if it is half as large."
            )
        if self.closing is not None:
            lines.append(f"{self.closing}; an ordinary interval of level {self.closing.level:.2%}.")
        return lines

    def screen(self, whole: bool = False) -> Tables:
        """The last looks; every one where `whole`."""
        table = self.tables["looks"]
        looks = table if whole else replace(table, frame=table.frame.tail(LAST))
        return Tables({"looks": looks}, self.title, self.notes, claims=self.claims)


def _keys(rows: list[PairRow], names: list[tuple[str, str | None]]) -> pl.DataFrame:
    """labels, a, b: which look at which pair (or at which system) a row is."""
    return pl.DataFrame(
        {
            "labels": pl.Series([r.look.labels for r in rows], dtype=pl.Int64),
            "a": pl.Series([names[r.contrast][0] for r in rows], dtype=pl.String),
            "b": pl.Series([names[r.contrast][1] for r in rows], dtype=pl.String),
        }
    )


def table_of(rows: list[PairRow], names: list[tuple[str, str | None]]) -> pl.DataFrame:
    """labels, a, b, estimate, low, high, decided."""
    return _keys(rows, names).with_columns(
        estimate=pl.Series([r.look.estimate for r in rows], dtype=pl.Float64),
        low=pl.Series([r.look.low for r in rows], dtype=pl.Float64),
        high=pl.Series([r.look.high for r in rows], dtype=pl.Float64),
        decided=pl.Series([r.decided for r in rows], dtype=pl.Boolean),
    )


def details_of(rows: list[PairRow], names: list[tuple[str, str | None]]) -> pl.DataFrame:
    """labels, a, b, rule, multiplier, n_eff, topics, assessors: how each set came about."""
    return _keys(rows, names).with_columns(
        rule=pl.Series([r.look.rule for r in rows], dtype=pl.String),
        multiplier=pl.Series([r.look.multiplier for r in rows], dtype=pl.Float64),
        n_eff=pl.Series([r.look.effective for r in rows], dtype=pl.Float64),
        topics=pl.Series([r.look.topics for r in rows], dtype=pl.Float64),
        assessors=pl.Series([r.look.assessors for r in rows], dtype=pl.Float64),
    )
