"""Differences between systems: one pair or all of them together, with verdicts a colleague can read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.inference.comparison.claims import Claim, Kind
from dissensus.measures.catalog import lower_is_better
from dissensus.results import Result, as_json, plain
from dissensus.stats.fieller import ConfidenceSet

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.headline import Standing
    from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis

Floats = NDArray[np.float64]
SHOWN = 40  # pairs, systems and groups in a printed result


def best_first(scores: Floats, measure: str) -> list[int]:
    """Places of the scores from the best down; unknown ones last.

    >>> best_first(np.array([0.2, np.nan, 0.4]), "AP"), best_first(np.array([3.0, 1.0]), "ESL")
    ([2, 0, 1], [1, 0])
    """
    return [int(i) for i in np.argsort(scores if lower_is_better(measure) else -scores, kind="stable")]


@dataclass(frozen=True)
class Difference(Result):
    """The difference a − b of two systems.

    `interval` and `p_value` belong together: both adjusted for `family` comparisons (`adjusted` names how), or neither;
    under "holm" and "bh" there is no interval (NaN) and p decides. `by` says what they were made with: "t", "fieller",
    "bootstrap" or the test's own distribution ("test").
    """

    a: str
    b: str
    measure: str
    difference: float
    se: float
    interval: tuple[float, float]
    p_value: float
    level: float
    method: str
    adjusted: str = "none"
    family: int = 1
    naive: float = float("nan")
    naive_p: float = float("nan")
    p_wald: float = float("nan")
    p_fieller: float = float("nan")
    fieller: ConfidenceSet | None = None
    detectable: float = float("nan")  # smallest difference found with 80 % power
    df: float = float("nan")  # degrees of freedom of the t behind a normal interval
    effect: float = float("nan")  # difference in standard deviations (of per-topic differences where paired)
    advice: str = ""
    notes: tuple[str, ...] = ()
    by: str = "t"
    diagnosis: PairDiagnosis | None = None

    @property
    def significant(self) -> bool:
        """Shown to differ from zero: p says so, and the interval, where there is one, holds no zero."""
        if not self.p_value < 1 - self.level:
            return False
        return not self._holds(0.0)

    def _holds(self, x: float) -> bool:
        """Is x in the confidence set? False where there is none."""
        if self.by == "fieller" and self.fieller is not None:
            return x in self.fieller
        return self.interval[0] <= x <= self.interval[1]

    @property
    def tells_direction(self) -> bool:
        """Shown to differ from zero, and on which side: Fieller's set may be two rays, one on either side."""
        if self.by == "fieller" and self.fieller is not None:
            low, high = self.fieller.hull
            return self.significant and (low > 0 or high < 0)
        return self.significant

    @property
    def likely(self) -> bool:
        """Is this a pooled difference? Its model makes a claim likely; only a difference without a model is shown."""
        return self.method == "pooled"

    @property
    def better(self) -> str:
        """The system ahead in the estimate, shown or not; where less is better, the lower one."""
        return self.a if (self.difference > 0) != lower_is_better(self.measure) else self.b

    @property
    def claim(self) -> Claim:
        """What is claimed of the pair, as a value: better, differ, undecided, equal or unanswered."""
        if np.isnan(self.difference):
            return Claim("unanswered", (self.a,), (self.b,), self.measure, remark=" ".join(self.notes))
        if self.difference == self.se == 0:
            return Claim("equal", (self.a,), (self.b,), self.measure)
        low, high = self.interval
        family = self.family if self.adjusted != "none" else 1
        values = {"difference": self.difference, "low": low, "high": high, "p_value": self.p_value, "family": family}
        if not self.significant:
            return Claim("undecided", (self.a,), (self.b,), self.measure, values, remark=self.advice)
        if not self.tells_direction:
            return Claim("differ", (self.a,), (self.b,), self.measure, values)
        worse = self.b if self.better == self.a else self.a
        if self.difference < 0:
            values |= {"difference": -self.difference, "low": -high, "high": -low}
        kind: Kind = "likely" if self.likely else "better"
        return Claim(kind, (self.better,), (worse,), self.measure, values)

    @property
    def verdict(self) -> str:
        """One sentence: who is better, or why that cannot be said."""
        return str(self.claim)

    def __str__(self) -> str:
        beside = () if np.isnan(self.difference) else self.notes  # there, the verdict is made of them
        return "\n".join((f"{self.measure}: {self.verdict}", *(f"  {n}" for n in beside)))

    def reversed(self) -> Difference:
        """The same comparison as b − a."""
        low, high = self.interval
        turned = None
        if self.fieller is not None:
            turned = ConfidenceSet(tuple((-h, -l) for l, h in reversed(self.fieller.pieces)))
        return replace(
            self, a=self.b, b=self.a, difference=-self.difference, interval=(-high, -low), naive=-self.naive,
            fieller=turned, effect=-self.effect,
        )  # fmt: skip

    def row(self) -> dict[str, object]:
        """The comparison as one row of a table."""
        return {
            "measure": self.measure,
            "a": self.a,
            "b": self.b,
            "difference": self.difference,
            "se": self.se,
            "low": self.interval[0],
            "high": self.interval[1],
            "p_value": self.p_value,
            "significant": self.significant,
            **({} if np.isnan(self.effect) else {"effect": self.effect}),
            **({} if np.isnan(self.naive) else {"naive": self.naive, "naive_p": self.naive_p}),
            "method": self.method,
            "adjusted": self.adjusted,
            "verdict": self.verdict,
        }

    def to_frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([self.row()])


@dataclass(frozen=True)
class Differences(Result):
    """All pairs of systems, intervals and p-values adjusted together; and the systems that cannot be told apart."""

    pairs: tuple[Difference, ...]
    groups: dict[str, list[list[str]]]  # by measure, of two and more systems; none with a baseline
    family: str
    notes: tuple[str, ...] = field(default=())
    scores: dict[str, dict[str, float]] = field(default_factory=dict)  # by measure and system, where known
    baseline: str | None = None

    @classmethod
    def of(
        cls,
        pairs: list[Difference],
        family: str,
        notes: tuple[str, ...],
        scores: dict[str, dict[str, float]],
        baseline: str | None,
    ) -> Differences:
        """All that was compared, with the groups that cannot be told apart; those take all pairs, and no baseline."""
        from dissensus.inference.comparison.headline import Standing

        groups = {}
        for measure in scores if baseline is None else ():
            standing = Standing.of(pairs, measure)
            groups[measure] = [list(standing.named(g)) for g in standing.groups()]
        return cls(tuple(pairs), groups, family, notes, scores, baseline)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self):  # type: ignore[no-untyped-def]
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
        from dissensus.inference.comparison.headline import Standing

        return Standing.of(self.pairs, measure)

    def claims(self) -> list[Claim]:
        """The answer for every measure, in a few claims; see `comparison.headline`."""
        from dissensus.inference.comparison.headline import against_baseline, headline

        if self.baseline is not None:
            base = self.baseline
            return [c for m in self.measures for c in against_baseline(self.pairs, base, m)]
        return [c for m in self.measures for c in headline(self.standing(m))]

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(d.measure for d in self.pairs))

    def ranks(self) -> pl.DataFrame:
        """measure, system, score, rank and the confidence set [low, high] of the rank; see `comparison.ranks`.

        Empty with a baseline: ranks take all pairs.
        """
        from dissensus.inference.comparison.ranks import rank_sets

        return rank_sets(() if self.baseline is not None else self.pairs, self.scores)

    def rank_lines(self, most: int | None = None) -> list[str]:
        """The ranks with their sets, a line per measure (of at most `most` systems), and what the sets promise."""
        from dissensus.inference.comparison.ranks import claim, line

        if self.baseline is not None:
            return []
        parts = self.ranks().partition_by("measure", maintain_order=True)
        return [*(f"{p['measure'][0]}, ranks: {line(p, most)}" for p in parts), *filter(None, [claim(self.pairs)])]

    def __str__(self) -> str:
        lines = [f"{c.measure}: {c}" for c in self.claims()]
        lines += [f"{d.measure}: {d.verdict}" for d in self.pairs[:SHOWN]]
        if len(self.pairs) > SHOWN:
            lines.append(f"… and {len(self.pairs) - SHOWN:,} more pairs in .pairs and .to_frame()")
        for measure, groups in self.groups.items():
            if groups:
                lines.append(f"{measure}, cannot be told apart: " + " | ".join(", ".join(g) for g in groups[:SHOWN]))
        return "\n".join((*lines, *self.rank_lines(SHOWN), f"family: {self.family}", *self.notes))

    def to_frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([d.row() for d in self.pairs])

    def to_json(self) -> str:
        """The fields, and `ranks`, one object per measure and system."""
        claims = [c.to_dict() for c in self.claims()]
        return as_json({**plain(self), "claims": claims, "ranks": self.ranks().to_dicts()})
