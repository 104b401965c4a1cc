"""The difference of two systems with a verdict a colleague can read, and the verdicts on all pairs as matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.inference.comparison.claims import Claim, Kind
from dissensus.measures.catalog import lower_is_better
from dissensus.results import Result, Table
from dissensus.stats.intervals import ConfidenceSet

if TYPE_CHECKING:
    from dissensus.inference.comparison.pair_diagnosis import PairDiagnosis

Flags = NDArray[np.bool_]
Ruled = Literal["better", "within", "open"]


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
    alike: bool = True  # of a difference that is exactly 0: so it is on every topic
    margin: float = float("nan")  # a size below which a difference does not matter, where one was named
    ruled: Ruled | None = None  # by a set that holds at every look, where the labels decided when to stop

    @property
    def significant(self) -> bool:
        """Shown to differ from zero: p says so, and the interval, where there is one, holds no zero."""
        if self.ruled is not None:
            return self.ruled == "better"
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
    def by_model(self) -> bool:
        """Is this a pooled difference? Its model makes a claim probable; only a difference without one is shown."""
        return self.method == "pooled"

    @property
    def better(self) -> str:
        """The system ahead in the estimate, shown or not; where less is better, the lower one."""
        return self.a if (self.difference > 0) != lower_is_better(self.measure) else self.b

    @property
    def identical(self) -> bool:
        """Do the two have the same score on every topic?"""
        return self.difference == self.se == 0 and self.alike

    @property
    def claim(self) -> Claim:
        """What is claimed of the pair: better or probably, differ, undecided or within, equal, unanswered."""
        if np.isnan(self.difference):
            return Claim("unanswered", (self.a,), (self.b,), self.measure, remark=" ".join(self.notes))
        if self.identical:
            return Claim("equal", (self.a,), (self.b,), self.measure)
        low, high = self.interval
        family = self.family if self.adjusted != "none" else 1
        values = {"difference": self.difference, "low": low, "high": high, "p_value": self.p_value, "family": family}
        if self.ruled is not None:
            del values["p_value"], values["family"]
        if not self.significant:
            if self.difference == self.se == 0:  # all labels are known, and the means of these topics are the same
                return Claim("within", (self.a,), (self.b,), self.measure, {**values, "margin": 0.0})
            if self.ruled == "within" or (self.ruled is None and -self.margin < low <= high < self.margin):
                return Claim("within", (self.a,), (self.b,), self.measure, {**values, "margin": self.margin})
            return Claim("undecided", (self.a,), (self.b,), self.measure, values, remark=self.advice)
        if not self.tells_direction:
            return Claim("differ", (self.a,), (self.b,), self.measure, values)
        worse = self.b if self.better == self.a else self.a
        if self.difference < 0:
            values |= {"difference": -self.difference, "low": -high, "high": -low}
        kind: Kind = "probably" if self.by_model else "better"
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

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {"pair": Table.of(self._rows(), level=self.level)}

    def _rows(self) -> pl.DataFrame:
        return pl.DataFrame([self.row()])


def indistinct(different: Flags) -> list[list[int]]:
    """Groups of two and more within which no pair differs, such that every pair that does not differ is in some group.

    >>> indistinct(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    [[0, 1], [1, 2]]
    """
    unlike = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in different]  # sets of places as bits
    n = len(different)
    covered = [0] * n
    groups: list[list[int]] = []
    for i in range(n):
        for j in range(i + 1, n):
            if (unlike[i] >> j) & 1 or (covered[i] >> j) & 1:
                continue
            members = (1 << i) | (1 << j)
            for k in range(n):
                if not unlike[k] & members:
                    members |= 1 << k
            group = [k for k in range(n) if (members >> k) & 1]
            for k in group:
                covered[k] |= members
            groups.append(group)
    return sorted(groups)


@dataclass(frozen=True, eq=False)
class Standing:
    """The verdicts on all pairs of one measure as matrices over `systems`, which are in the order of the estimates.

    `beats[i, j]`: i was shown to be better than j; `equal`: the same score on every topic; `unknown`: no answer;
    `ahead[i, j]`: i has the better estimate, shown or not.
    """

    measure: str
    systems: tuple[str, ...]
    beats: Flags
    equal: Flags
    unknown: Flags
    ahead: Flags

    @classmethod
    def as_compared(cls, pairs: Sequence[Difference], measure: str) -> Standing:
        """From the pairs of one measure, systems as they appear in them."""
        mine = [d for d in pairs if d.measure == measure]
        systems = tuple(dict.fromkeys(s for d in mine for s in (d.a, d.b)))
        at, n = {s: i for i, s in enumerate(systems)}, len(systems)
        beats, equal, unknown, ahead = (np.zeros((n, n), bool) for _ in range(4))
        first, second = np.array([(at[d.a], at[d.b]) for d in mine], np.int64).reshape(-1, 2).T
        gap = np.array([d.difference for d in mine])
        unanswered, same = np.isnan(gap), np.array([d.identical for d in mine], bool)
        for matrix, which in ((unknown, unanswered), (equal, same)):
            matrix[first[which], second[which]] = matrix[second[which], first[which]] = True
        apart = np.flatnonzero(~unanswered & (gap != 0))
        forward = (gap[apart] > 0) != lower_is_better(measure)
        best, worst = np.where(forward, (first[apart], second[apart]), (second[apart], first[apart]))
        ahead[best, worst] = True
        beats[best, worst] = [mine[k].tells_direction for k in apart.tolist()]
        return cls(measure, systems, beats, equal, unknown, ahead)

    @classmethod
    def of(cls, pairs: Sequence[Difference], measure: str) -> Standing:
        """From the pairs of one measure; systems ahead in more of the differences come first."""
        found = cls.as_compared(pairs, measure)
        return found._turned(np.argsort(found.ahead.sum(axis=0), kind="stable"))

    def ordered(self, systems: Sequence[str]) -> Standing:
        """The same verdicts with the systems in another order of estimates."""
        place = {s: i for i, s in enumerate(self.systems)}
        turn = [place[s] for s in systems if s in place]
        held = set(turn)
        turn += [i for i in range(len(self.systems)) if i not in held]
        return self._turned(np.array(turn, np.int64))

    def _turned(self, order: NDArray[np.int64]) -> Standing:
        at = np.ix_(order, order)
        beats, equal, unknown, ahead = (m[at] for m in (self.beats, self.equal, self.unknown, self.ahead))
        return Standing(self.measure, self.named(order), beats, equal, unknown, ahead)

    def identical(self) -> list[list[int]]:
        """Classes of systems with the same score on every topic, of two and more."""
        out: list[list[int]] = []
        seen: set[int] = set()
        for i in range(len(self.systems)):
            if i not in seen and self.equal[i].any():
                group = [i, *np.flatnonzero(self.equal[i]).tolist()]
                seen.update(group)
                out.append(sorted(group))
        return out

    def groups(self) -> list[list[int]]:
        """Groups of two and more within which every pair is undecided, identical systems aside."""
        different = self.beats | self.beats.T
        found = indistinct(different)
        return [g for g in found if not self.equal[np.ix_(g, g)][~np.eye(len(g), dtype=bool)].all()]

    def named(self, places: Sequence[int] | NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(self.systems[int(i)] for i in places)
