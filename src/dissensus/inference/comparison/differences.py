"""All pairs of systems together, and the outcome that they bear (`comparison.outcome`).

Systems with the same score on every topic are one: they could be the best together or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.inference.comparison import ranks
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.comparison_notes import comparison_notes, first_notes, outcome_facts
from dissensus.inference.comparison.difference import Difference, Standing
from dissensus.inference.comparison.evidence_value import Evidence
from dissensus.inference.comparison.headline import against_baseline
from dissensus.inference.comparison.other_judges import Others
from dissensus.inference.comparison.outcome import Outcome, conclude
from dissensus.inference.comparison.pair_diagnosis import DIAGNOSIS, PairDiagnosis
from dissensus.measures.catalog import lower_is_better
from dissensus.results import Result, Table, Tables

RANKS = {"low": "best rank that the data allow", "high": "worst rank that the data allow", "score": "mean score"}
CLAIM = {"claim": "better, probably (by the pooled model alone), equal, within, undecided or unanswered"}
UNCORRECTED = "the judge's labels, uncorrected: no audit was given"
NAIVE = "naive and naive_p: the judge's labels, uncorrected: a paired t test, not adjusted"
FIRST = 3  # notes of a first screen, at least
FEW = 6  # pairs that a first screen lists
RANKED = 15  # systems and pairs in a table of a first screen


@dataclass(frozen=True)
class Basis:
    """What comparisons rest on: their family, the policies in one line, where the labels came from, further notes."""

    family: str
    policies: str = ""
    source: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of_scores(cls, family: str, attrs: Values, gold: str | None, notes: tuple[str, ...]) -> Basis:
        """That of scores of `evaluate`, or of a table, whose `attrs` know no missing topics; `gold` corrects them."""
        said = tuple(attrs.get("notes", ()))
        if gold is not None:
            return cls(family, NAIVE.replace("labels", "scores"), said, notes)
        if "missing" not in attrs:
            return cls(family, "scores taken as they are, from a table", said, notes)
        return cls(family, str(attrs.get("footer", "")), (UNCORRECTED,), notes)


@dataclass(frozen=True)
class Differences(Result):
    """All pairs of systems, intervals and p-values adjusted together, and what is concluded from them."""

    pairs: tuple[Difference, ...]
    groups: dict[str, list[list[str]]]  # by measure, of two and more systems; none with a baseline
    basis: Basis
    scores: dict[str, dict[str, float]] = field(default_factory=dict)  # by measure and system, where known
    baseline: str | None = None
    pooled: Differences | None = field(default=None, repr=False)  # the same pairs by pooled scores
    diagnosis: tuple[PairDiagnosis, ...] = field(default=(), repr=False)  # of corrected pairs

    make: Callable[[str], Outcome] | None = field(default=None, repr=False, compare=False)  # outcome of a measure

    @classmethod
    def of(
        cls,
        pairs: list[Difference],
        basis: Basis,
        scores: dict[str, dict[str, float]],
        baseline: str | None,
        make: Callable[[str], Outcome] | None = None,
    ) -> Differences:
        """All that was compared, with the groups that are undecided; those take all pairs, and no baseline."""
        groups = {}
        for measure in scores if baseline is None else ():
            standing = Standing.of(pairs, measure)
            groups[measure] = [list(standing.named(g)) for g in standing.groups()]
        return cls(tuple(pairs), groups, basis, scores, baseline, make=make)

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

    # ── windows ──
    @property
    def family(self) -> str:
        """How many comparisons are adjusted together, and how."""
        return self.basis.family

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "Differences between systems"

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        level = self.pairs[0].level if self.pairs else None
        found = {"pairs": Table.of(self._rows(), CLAIM, level=level)}
        if self.baseline is None:
            found["ranks"] = Table.of(self.ranks(), RANKS)
        if self.diagnosis:
            found["diagnosis"] = Table.of(pl.DataFrame([d.row() for d in self.diagnosis]), DIAGNOSIS)
        return found

    def _rows(self) -> pl.DataFrame:
        table = pl.DataFrame([d.row() for d in self.pairs])
        if self.pooled is None:
            return table
        ends = [(p.difference, *p.interval) for p in self.pooled.pairs]
        beside = pl.DataFrame(ends, dict.fromkeys(("pooled", "pooled_low", "pooled_high"), pl.Float64), orient="row")
        return table.hstack(beside).with_columns(claim=pl.Series(self._kinds(self.pooled)))

    def _kinds(self, pooled: Differences) -> list[str]:
        """What is claimed of every pair: better, probably, undecided …; the pooled model adds "probably"."""
        if self.baseline is None:
            likely = {(c.measure, frozenset(c.systems + c.others)) for c in self._probable}
        else:
            likely = {(p.measure, frozenset((p.a, p.b))) for p in pooled.pairs if p.significant}
        return [
            "probably" if not d.significant and (d.measure, frozenset((d.a, d.b))) in likely else d.claim.kind
            for d in self.pairs
        ]

    @property
    def _probable(self) -> list[Claim]:
        """What only the pooled model shows."""
        if self.pooled is None or self.baseline is not None:
            return []
        return [c for o in self.outcomes.values() for c in o.probable_pairs]

    @property
    def notes(self) -> tuple[str, ...]:
        """The verdicts of few pairs, what more would bring, policies, what is undecided, the family, all else."""
        return tuple(self._account(whole=False))

    def _account(self, whole: bool) -> list[str]:
        shown = self.pairs if whole or len(self.pairs) <= FEW else ()
        return [*(f"{d.measure}: {d.verdict}" for d in shown), *comparison_notes(self, whole)]

    @property
    def facts(self) -> Values:
        """The outcome by each measure, groups of undecided systems, the family, and what is only probable."""
        probably = [f"{c.measure}: {c}" for c in self._probable]
        return {
            **outcome_facts(self.outcomes.values()), "groups": self.groups, "family": self.family, "probably": probably,
        }  # fmt: skip

    def screen(self, whole: bool = False) -> Result:
        """The ranks, or where there are few pairs or a baseline, the pairs; both, and all of them, where `whole`."""
        few, tables = len(self.pairs) <= FEW, self.tables
        pairs = tables["pairs"].showing(tables["pairs"].frame.drop("verdict", "adjusted", "method"))
        shown: dict[str, Table] = {}
        if self.baseline is None and not few:
            first = tables["ranks"].frame.group_by("measure", maintain_order=True).head(RANKED)
            shown["ranks"] = tables["ranks"] if whole else tables["ranks"].showing(first)
        if few or whole:
            shown["pairs"] = pairs
        elif self.baseline is not None:
            shown["pairs"] = pairs.showing(pairs.frame.head(RANKED))
        if whole and self.diagnosis:
            shown["diagnosis"] = tables["diagnosis"]
        most = max(len(first_notes(self)), FIRST) + (len(self.pairs) if few else 0)
        return Tables(shown, "", self._account(whole), claims=self.claims, few=most).screen(whole)
