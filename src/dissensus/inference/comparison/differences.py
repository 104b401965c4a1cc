"""All pairs of systems together: the answer in a few claims, ranks, and the groups that cannot be told apart.

    >>> from dissensus.inference.comparison.difference import Difference, Standing
    >>> def pair(a, b, gap, p):
    ...     return Difference(a, b, "AP", gap, 0.01, (gap - 0.03, gap + 0.03), p, 0.95, "t", "max-t", 3)
    >>> pairs = [pair("A", "B", 0.01, 0.9), pair("A", "C", 0.09, 0.001), pair("B", "C", 0.08, 0.002)]
    >>> [str(c) for c in headline(Standing.of(pairs, "AP"))]
    ['A comes first and is better than C, but cannot be told apart from B.']

Systems with the same score on every topic are one: they come first together or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from dissensus.errors import InputError
from dissensus.inference.comparison import ranks
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.difference import Difference, Standing
from dissensus.results import Result, Table

RANKS = {"low": "best rank that the data allow", "high": "worst rank that the data allow", "score": "mean score"}
SHOWN = 40  # pairs, systems and groups in a printed result


@dataclass(frozen=True)
class Differences(Result):
    """All pairs of systems, intervals and p-values adjusted together, and the systems that cannot be told apart."""

    pairs: tuple[Difference, ...]
    groups: dict[str, list[list[str]]]  # by measure, of two and more systems; none with a baseline
    family: str
    notes: tuple[str, ...] = ()
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
        groups = {}
        for measure in scores if baseline is None else ():
            standing = Standing.of(pairs, measure)
            groups[measure] = [list(standing.named(g)) for g in standing.groups()]
        return cls(tuple(pairs), groups, family, notes, scores, baseline)

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

    @property
    def claims(self) -> list[Claim]:
        """The answer for every measure, in a few claims; see `headline`."""
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
        return ranks.rank_sets(() if self.baseline is not None else self.pairs, self.scores)

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
                lines.append(f"{measure}, cannot be told apart: " + " | ".join(", ".join(g) for g in groups[:SHOWN]))
        return "\n".join((*lines, *self.rank_lines(SHOWN), f"family: {self.family}", *self.notes))

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        pairs = {"pairs": Table.of(self._rows(), level=self.pairs[0].level if self.pairs else None)}
        return pairs if self.baseline is not None else {**pairs, "ranks": Table.of(self.ranks(), RANKS)}

    def _rows(self) -> pl.DataFrame:
        return pl.DataFrame([d.row() for d in self.pairs])


def headline(standing: Standing) -> list[Claim]:
    """Who is first, whom that was shown to beat, who else may be first, and who is identical."""
    n, measure = len(standing.systems), standing.measure
    if standing.unknown.any(axis=0).all():
        return [Claim("no-answer", standing.systems, measure=measure)]
    classes = standing.identical()
    first = next((c for c in classes if 0 in c), [0])
    others = np.array([i for i in range(n) if i not in first], np.int64)
    out: list[Claim] = []
    if len(others):
        beaten = standing.beats[first][:, others].all(axis=0)
        out = _first(standing, first, others[beaten], others[~beaten])
    return out + [Claim("identical", standing.named(c), measure=measure) for c in classes]


def _first(standing: Standing, first: list[int], beaten: NDArray[np.int64], rest: NDArray[np.int64]) -> list[Claim]:
    measure, leaders = standing.measure, standing.named(first)
    if not len(rest):
        return [Claim("best", leaders, standing.named(beaten), measure)]
    if not len(beaten):
        return [Claim("open", leaders, measure=measure, rest=standing.named(rest))]
    out = [Claim("ahead", leaders, standing.named(beaten), measure, rest=standing.named(rest))]
    unbeaten = np.flatnonzero(~standing.beats.any(axis=0))
    if len(unbeaten) < len(first) + len(rest):
        out.append(Claim("unbeaten", standing.named(unbeaten), measure=measure))
    return out


def likely_ahead(shown: Standing, likely: Standing) -> list[Claim]:
    """Whom the first is likely better than by the pooled model, beyond those it was shown to be better than."""
    model = likely.ordered(shown.systems)
    first = next((c for c in shown.identical() if 0 in c), [0])  # identical systems are first together
    ahead, known = model.beats[first].all(axis=0), shown.beats[first].all(axis=0)
    beyond = np.flatnonzero(ahead & ~known)
    return [Claim("likely-ahead", shown.named(first), shown.named(beyond), shown.measure)] if len(beyond) else []


def together(standing: Standing) -> list[Claim]:
    """The groups that cannot be told apart."""
    return [Claim("together", standing.named(g), measure=standing.measure) for g in standing.groups()]


def against_baseline(pairs: Sequence[Difference], baseline: str, measure: str) -> list[Claim]:
    """Which systems were shown to be better than the baseline, worse, neither."""
    sides: dict[str, list[str]] = {"above": [], "below": [], "unclear": [], "identical": []}
    for d in (d for d in pairs if d.measure == measure):
        claim, other = d.claim, d.a if d.b == baseline else d.b
        if claim.kind in ("better", "likely"):
            sides["above" if claim.systems[0] == other else "below"].append(other)
        elif claim.kind == "equal":
            sides["identical"].append(other)
        else:
            sides["unclear"].append(other)
    out = [
        Claim(kind, tuple(sides[kind]), (baseline,), measure) for kind in ("above", "below", "unclear") if sides[kind]
    ]
    if sides["identical"]:
        out.append(Claim("identical", (baseline, *sides["identical"]), measure=measure))
    return out


def naive_first(
    standing: Standing, naive: Mapping[str, float], higher_is_better: bool, *, of_scores: bool = False
) -> Claim | None:
    """Whether the audit bears out who comes first by the labels as they are; None where no naive score is known.

    Refuted: some system was shown to be better than every one that comes first by the labels. Confirmed: these were
    shown to be better than all others. Unsettled: neither. `of_scores`: a gold judge's scores do, those of a table.
    """
    known = {s: v for s, v in naive.items() if math.isfinite(v) and s in standing.systems}
    if len(standing.systems) < 2 or not known:
        return None
    top = max(known.values()) if higher_is_better else min(known.values())
    first = [i for i, s in enumerate(standing.systems) if s in known and abs(known[s] - top) < 1e-12]
    others = [i for i in range(len(standing.systems)) if i not in first]
    better = [i for i in others if standing.beats[i, first].all()]
    shown = standing.beats[np.ix_(first, others)] | standing.equal[np.ix_(first, others)]
    measure, leaders = standing.measure, standing.named(first)
    if better:
        return Claim("refuted", leaders, standing.named(better), measure, of_scores=of_scores)
    if others and shown.all():
        return Claim("confirmed", leaders, measure=measure, of_scores=of_scores)
    return Claim("unsettled", leaders, measure=measure, of_scores=of_scores)
