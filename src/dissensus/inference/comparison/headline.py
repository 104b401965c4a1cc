"""The answer in a few claims, from the verdicts on all pairs.

    >>> from dissensus.inference.comparison.difference import Difference
    >>> def pair(a, b, gap, p):
    ...     return Difference(a, b, "AP", gap, 0.01, (gap - 0.03, gap + 0.03), p, 0.95, "t", "max-t", 3)
    >>> pairs = [pair("A", "B", 0.01, 0.9), pair("A", "C", 0.09, 0.001), pair("B", "C", 0.08, 0.002)]
    >>> [str(c) for c in headline(Standing.of(pairs, "AP"))]
    ['A comes first and is better than C, but cannot be told apart from B.']

Systems with the same score on every topic are one: they come first together or not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.difference import Difference

Flags = NDArray[np.bool_]


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

    `beats[i, j]`: i was shown to be better than j; `equal`: the same score on every topic; `unknown`: no answer.
    """

    measure: str
    systems: tuple[str, ...]
    beats: Flags
    equal: Flags
    unknown: Flags

    @classmethod
    def of(cls, pairs: Sequence[Difference], measure: str) -> Standing:
        """From the pairs of one measure; systems ahead in more of the differences come first."""
        mine = [d for d in pairs if d.measure == measure]
        systems = list(dict.fromkeys(s for d in mine for s in (d.a, d.b)))
        at, n = {s: i for i, s in enumerate(systems)}, len(systems)
        beats, equal, unknown, ahead = (np.zeros((n, n), bool) for _ in range(4))
        for d in mine:
            i, j = at[d.a], at[d.b]
            kind = d.claim.kind
            if kind == "unanswered":
                unknown[i, j] = unknown[j, i] = True
            elif kind == "equal":
                equal[i, j] = equal[j, i] = True
            elif d.difference != 0:
                best, worst = (i, j) if d.better == d.a else (j, i)
                ahead[best, worst] = True
                beats[best, worst] = kind in ("better", "likely")
        behind = np.where(unknown.any(axis=0), n, 0) + ahead.sum(axis=0)
        order = np.argsort(behind, kind="stable")
        turn = np.ix_(order, order)
        return cls(measure, tuple(systems[i] for i in order), beats[turn], equal[turn], unknown[turn])

    def ordered(self, systems: Sequence[str]) -> Standing:
        """The same verdicts with the systems in another order of estimates."""
        turn = [self.systems.index(s) for s in systems if s in self.systems]
        turn += [i for i in range(len(self.systems)) if i not in turn]
        at = np.ix_(np.array(turn), np.array(turn))
        return Standing(self.measure, self.named(turn), self.beats[at], self.equal[at], self.unknown[at])

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
        """Groups of two and more within which no pair was shown to differ, identical systems aside."""
        different = self.beats | self.beats.T | self.unknown
        found = indistinct(different)
        return [g for g in found if not self.equal[np.ix_(g, g)][~np.eye(len(g), dtype=bool)].all()]

    def named(self, places: Sequence[int] | NDArray[np.int64]) -> tuple[str, ...]:
        return tuple(self.systems[int(i)] for i in places)


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
