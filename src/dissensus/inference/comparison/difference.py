"""Differences between systems: one pair or all of them together, with verdicts a colleague can read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.inference.correction.weights import Floats
from dissensus.inference.formatting import p_text
from dissensus.measures.catalog import lower_is_better
from dissensus.results import Result, as_json, plain
from dissensus.stats.fieller import ConfidenceSet
from dissensus.stats.simultaneous import largest_t

if TYPE_CHECKING:
    import polars as pl

DRAWS = 20_000


def best_first(scores: Floats, measure: str) -> list[int]:
    """Places of the scores from the best down; unknown ones last.

    >>> best_first(np.array([0.2, np.nan, 0.4]), "AP"), best_first(np.array([3.0, 1.0]), "ESL")
    ([2, 0, 1], [1, 0])
    """
    return [int(i) for i in np.argsort(scores if lower_is_better(measure) else -scores, kind="stable")]


@dataclass(frozen=True)
class Difference(Result):
    """The corrected difference a − b of two systems.

    `interval` and `p_value` belong together: both adjusted for `family` comparisons (`adjusted` names how), or neither.
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

    @property
    def significant(self) -> bool:
        return bool(self.p_value < 1 - self.level)

    @property
    def likely(self) -> bool:
        """Is this a pooled difference? Its model makes a claim likely; only a difference without a model is shown."""
        return self.method == "pooled"

    @property
    def verdict(self) -> str:
        """One sentence: who is better, or why nobody can say."""
        if np.isnan(self.difference):
            return f"{self.a} and {self.b}: no answer; {' '.join(self.notes)}".rstrip("; ")
        if self.difference == self.se == 0:
            return f"{self.a} and {self.b}: no difference on any topic"
        low, high = self.interval
        p = p_text(self.p_value)
        both = f", both adjusted for {self.family} comparisons" if self.family > 1 and self.adjusted != "none" else ""
        if self.significant:
            a_wins = (self.difference > 0) != lower_is_better(self.measure)
            best, worst = (self.a, self.b) if a_wins else (self.b, self.a)
            low, high = (low, high) if self.difference > 0 else (-high, -low)
            verb = "is likely better than" if self.likely else "beats"
            if np.isinf([low, high]).any():
                return f"{best} {verb} {worst}, by how much the data do not bound, p {p}{both}"
            return f"{best} {verb} {worst} by {abs(self.difference):.3f} [{low:.3f}, {high:.3f}], p {p}{both}"
        shown = f"{self.difference:+.3f} [{low:.3f}, {high:.3f}], p {p}{both}"
        return f"{self.a} and {self.b}: cannot tell ({shown})" + (f"; {self.advice}" if self.advice else "")

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
    groups: dict[str, list[list[str]]]  # by measure
    family: str
    notes: tuple[str, ...] = field(default=())
    scores: dict[str, dict[str, float]] = field(default_factory=dict)  # by measure and system, where known

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

    def ranks(self) -> pl.DataFrame:
        """measure, system, score, rank and the confidence set [low, high] of the rank; see `inference.ranks`."""
        from dissensus.inference.comparison.ranks import rank_sets

        return rank_sets(self.pairs, self.scores)

    def rank_lines(self, most: int | None = None) -> list[str]:
        """The ranks with their sets, a line per measure (of at most `most` systems), and what the sets promise."""
        from dissensus.inference.comparison.ranks import claim, line

        parts = self.ranks().partition_by("measure", maintain_order=True)
        return [*(f"{p['measure'][0]}, ranks: {line(p, most)}" for p in parts), *filter(None, [claim(self.pairs)])]

    def __str__(self) -> str:
        lines = [f"{d.measure}: {d.verdict}" for d in self.pairs]
        for measure, groups in self.groups.items():
            lines.append(f"{measure}, systems that cannot be told apart: " + " | ".join(", ".join(g) for g in groups))
        return "\n".join((*lines, *self.rank_lines(), f"family: {self.family}", *self.notes))

    def to_frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([d.row() for d in self.pairs])

    def to_json(self) -> str:
        """The fields, and `ranks`, one object per measure and system."""
        return as_json({**plain(self), "ranks": self.ranks().to_dicts()})


def contrasts(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs (a, b) with a before b."""
    return np.triu_indices(n, 1)


def max_t(covariance: Floats, se: Floats, df: float, seed: int, draws: int = DRAWS) -> Floats:
    """Draws of max over pairs |t|, from the joint covariance (multivariate t with `df`), sorted; `se` by pair.

    Critical values and adjusted p-values of simultaneous intervals for all pairs come from it: sharper than Bonferroni,
    because differences between systems that are alike move together.
    """
    a, b = contrasts(len(covariance))
    keep = se > 0
    value, vector = np.linalg.eigh((covariance + covariance.T) / 2)
    root = vector * np.sqrt(np.maximum(value, 0.0))
    gap = root[a[keep]] - root[b[keep]]
    # each pair by the spread it has in these draws, so that every t is a t whatever the clipping above did
    spread = np.sqrt(np.maximum((gap**2).sum(axis=1), 1e-300))
    return largest_t(gap / spread[:, None], df, draws, seed)


def critical(draws: Floats, level: float) -> float:
    """The value that max|t| exceeds with probability 1 − level."""
    return float(np.quantile(draws, level))


def indistinct(order: list[int], different: NDArray[np.bool_]) -> list[list[int]]:
    """Groups within which no pair differs, such that every pair that does not differ is in some group.

    >>> indistinct([0, 1, 2], np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    [[0, 1], [1, 2]]
    """
    covered = np.zeros(different.shape, bool)
    groups: list[list[int]] = []
    for p, i in enumerate(order):
        for j in order[p + 1 :]:
            if different[i, j] or covered[i, j]:
                continue
            group = [i, j]
            for k in order:
                if k not in group and not different[k, group].any():
                    group.append(k)
            group.sort(key=order.index)
            covered[np.ix_(group, group)] = True
            groups.append(group)
    grouped = {i for g in groups for i in g}
    groups += [[i] for i in order if i not in grouped]
    return sorted(groups, key=lambda g: [order.index(i) for i in g])
