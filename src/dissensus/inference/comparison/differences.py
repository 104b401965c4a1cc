"""All pairs of systems together, and the outcome that they bear (`comparison.outcome`).

Systems with the same score on every topic are one: they could be the best together or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from dissensus.errors import InputError
from dissensus.inference.comparison import ranks
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.difference import Difference, Standing
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.headline import against_baseline
from dissensus.inference.comparison.other_judges import Others
from dissensus.inference.comparison.outcome import Outcome, conclude
from dissensus.measures.catalog import lower_is_better
from dissensus.results import Result, Table

RANKS = {"low": "best rank that the data allow", "high": "worst rank that the data allow", "score": "mean score"}
SHOWN = 40  # pairs, systems and groups in a printed result


@dataclass(frozen=True)
class Differences(Result):
    """All pairs of systems, intervals and p-values adjusted together, and what is concluded from them."""

    pairs: tuple[Difference, ...]
    groups: dict[str, list[list[str]]]  # by measure, of two and more systems; none with a baseline
    family: str
    notes: tuple[str, ...] = ()
    scores: dict[str, dict[str, float]] = field(default_factory=dict)  # by measure and system, where known
    baseline: str | None = None

    make: Callable[[str], Outcome] | None = field(default=None, repr=False, compare=False)  # outcome of a measure

    @classmethod
    def of(
        cls,
        pairs: list[Difference],
        family: str,
        notes: tuple[str, ...],
        scores: dict[str, dict[str, float]],
        baseline: str | None,
        make: Callable[[str], Outcome] | None = None,
    ) -> Differences:
        """All that was compared, with the groups that are undecided; those take all pairs, and no baseline."""
        groups = {}
        for measure in scores if baseline is None else ():
            standing = Standing.of(pairs, measure)
            groups[measure] = [list(standing.named(g)) for g in standing.groups()]
        return cls(tuple(pairs), groups, family, notes, scores, baseline, make)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.pairs)

    def __getitem__(self, pair: tuple[str, str] | tuple[str, str, str]) -> Difference:
        a, b = pair[0], pair[1]
        for d in self.pairs:
            if {d.a, d.b} == {a, b} and (len(pair) == 2 or d.measure == pair[2]):
                return d if d.a == a else d.reversed()
        raise InputError(f"there is no comparison of {a} and {b}.")

    def _only(self) -> Difference:
        if len(self.pairs) != 1:
            raise InputError(f"there are {len(self.pairs)} comparisons.", "Pick one: result['A', 'B'].")
        return self.pairs[0]

    @property
    def difference(self) -> float:
        """The difference a − b, where only one pair was compared."""
        return self._only().difference

    @property
    def se(self) -> float:
        return self._only().se

    @property
    def interval(self) -> tuple[float, float]:
        return self._only().interval

    @property
    def p_value(self) -> float:
        return self._only().p_value

    def standing(self, measure: str) -> Standing:
        """The verdicts on all pairs of one measure as matrices."""
        return Standing.of(self.pairs, measure)

    @cached_property
    def outcomes(self) -> dict[str, Outcome]:
        """What is concluded by each measure; each is a family of its own."""
        return {m: self._outcome(m) for m in self.measures}

    @property
    def outcome(self) -> Outcome:
        """What is concluded by the first measure, which gives the headline."""
        first, *others = self.outcomes.values()
        return replace(first, also=lambda: [*others, *first.also()])

    def beside(self, others: Others) -> Differences:
        """The same with what other complete judges would conclude beside it."""
        return replace(self, make=lambda measure: replace(self._outcome(measure), also=lambda: others(measure)))

    def _outcome(self, measure: str) -> Outcome:
        if self.make is not None:
            return self.make(measure)
        mine = tuple(d for d in self.pairs if d.measure == measure)
        systems = Standing.of(mine, measure).systems
        known = {s: (v, math.nan, math.nan) for s, v in self.scores.get(measure, {}).items()}
        return conclude(
            Evidence(
                measure, "the judge", systems, mine, {"naive": known} if known else {}, 0,
                audited=any(math.isfinite(d.naive) for d in mine), higher_is_better=not lower_is_better(measure),
            )
        )  # fmt: skip

    @property
    def claims(self) -> list[Claim]:
        """The conclusion by the first measure in a few claims.

        With a baseline: which systems are better and worse than it by each measure, and what to take.
        """
        if self.baseline is None:
            return list(self.outcome.claims)
        base = self.baseline
        said = [c for m in self.measures for c in against_baseline(self.pairs, base, m)]
        take = None if self.make is None else self.outcome.recommendation
        return said if take is None else [*said, take]

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(d.measure for d in self.pairs))

    def ranks(self) -> pl.DataFrame:
        """measure, system, score, rank and the confidence set [low, high] of the rank; see `comparison.ranks`.

        Empty with a baseline: ranks take all pairs.
        """
        if self.baseline is not None:
            return ranks.rank_sets(())
        each = [o.ranks.select(pl.lit(m).alias("measure"), pl.all()) for m, o in self.outcomes.items()]
        return pl.concat(each) if each else ranks.rank_sets(())

    def rank_lines(self, most: int | None = None) -> list[str]:
        """The ranks with their sets, a line per measure (of at most `most` systems), and what the sets promise."""
        if self.baseline is not None:
            return []
        parts = self.ranks().partition_by("measure", maintain_order=True)
        lines = [f"{p['measure'][0]}, ranks: {ranks.line(p, most)}" for p in parts]
        promise = ranks.claim(self.pairs)
        return [*lines, promise] if promise else lines

    def __str__(self) -> str:
        lines = [f"{c.measure}: {c}" for c in self.claims]
        lines += [f"{d.measure}: {d.verdict}" for d in self.pairs[:SHOWN]]
        if len(self.pairs) > SHOWN:
            lines.append(f"… and {len(self.pairs) - SHOWN:,} more pairs in .pairs and .to_frame()")
        for measure, groups in self.groups.items():
            if groups:
                lines.append(f"{measure}, undecided: " + " | ".join(", ".join(g) for g in groups[:SHOWN]))
        return "\n".join((*lines, *self.rank_lines(SHOWN), f"family: {self.family}", *self.notes))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        pairs = {"pairs": Table.of(self._rows(), level=self.pairs[0].level if self.pairs else None)}
        return pairs if self.baseline is not None else {**pairs, "ranks": Table.of(self.ranks(), RANKS)}

    def _rows(self) -> pl.DataFrame:
        return pl.DataFrame([d.row() for d in self.pairs])
