"""The ceilings of several measures as one result, with the share of them that runs have reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from dissensus.inference.ceiling.api import Ceiling, ceiling_shares
from dissensus.inference.ceiling.interval import ceiling_interval
from dissensus.results import Result, Table
from dissensus.tables.judgments import Judgments
from dissensus.tables.runs import Runs

CONDENSED = "runs are condensed (unjudged documents taken out); a share above 1 knows more than one other judge"
MEANINGS = {"assessor": "judge whose labels score", "topics": "number of topics with a ceiling"}
SHARES = {"ceiling": "the ceiling on the run's topics", "share": "score as a share of the ceiling"}


@dataclass(frozen=True, eq=False)
class Ceilings(Result):
    """The ceiling by each measure, means over topics or a row per topic; `shares` by measure, where runs were given."""

    each: Sequence[Ceiling]
    judgments: Judgments = field(repr=False)
    shares: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    per_topic: bool = False

    @classmethod
    def of(cls, each: Sequence[Ceiling], judgments: Judgments, runs: Runs | None, per_topic: bool) -> Ceilings:
        """The result for some judgments, and for runs where there are any."""
        shares = {} if runs is None else {c.measure: ceiling_shares(runs, judgments, c) for c in each}
        return cls(each, judgments, shares, per_topic)

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Ceiling"

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        rows = self.rows if self.per_topic else self._means
        shares = {f"runs, {name}": Table.of(frame, SHARES) for name, frame in self.shares.items()}
        return {"ceiling": Table.of(rows, MEANINGS, level=0.95), **shares}

    @property
    def rows(self) -> pl.DataFrame:
        """A row per measure, judge and topic."""
        return pl.concat([c.to_frame().select(pl.lit(c.measure).alias("measure"), pl.all()) for c in self.each])

    @property
    def _means(self) -> pl.DataFrame:
        ends = [(c.measure, ceiling_interval(c, self.judgments)) for c in self.each]
        return pl.concat([frame.select(pl.lit(name).alias("measure"), pl.all()) for name, frame in ends])

    @property
    def notes(self) -> list[str]:
        """What the number is, what runs went through, and where the matrix came from."""
        first = self.each[0]
        what = (
            f"expected score of the ranking that is perfect for one other judge; {first.method}, ordered by "
            f"{first.order}, ties broken at random, judged documents only; 95% intervals over topics"
            + (" and the labels behind the matrix" if first.estimated and first.method != "simulate" else "")
        )
        said = [note for c in self.each for note in (*self.judgments.notes, *c.notes)]
        return [what, *([CONDENSED] if self.shares else []), *dict.fromkeys(said)]

    @property
    def facts(self) -> dict[str, object]:
        """The mean of each measure, and the matrix."""
        return {"mean": {c.measure: c.mean for c in self.each}, "confusion": self.each[0].confusion.matrix}
