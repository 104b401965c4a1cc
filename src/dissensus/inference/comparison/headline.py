"""The headline by its table, and what the judge alone would have said.

The first row that fits, from the bottom up. B is the best set, of n systems:

    one system                  X is the best of 8. It is better than all others (by 0.02 to 0.31).
    two or three                X or Y is the best. The other six are worse than at least one of them.
    more, under half of n       One of X, Y, Z, V and W is the best. Ruled out: the other 15.
    half or more of n ≥ 4       No winner yet: 18 of 20 could still be the best. Ruled out: A, B.

Two systems have their own sentence, "X is better than Y by 0.06 [0.02, 0.10]" or "Undecided between X and Y". So have
three of which none is ruled out. Identical systems are one. That the best system is better than all others follows from
the tested pairs. If X is better than Y and Y than Z, X is better than Z.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.difference import Difference, Standing

FEW, SMALL = 3, 4  # systems of a best set that are named with "or"; systems from which half of them is no winner


def headline(
    standing: Standing,
    order: Sequence[str],
    best: Sequence[str],
    identical: Sequence[Sequence[str]],
    pairs: Sequence[Difference],
    *,
    measure: str,
    where: str = "",
    premise: str = "",
    of_scores: bool = False,
    pooled: bool = False,
) -> Claim:
    """The headline of a best set; `premise` is whose labels are taken as right, empty after an audit.

    `pooled`: the scores beside it are pooled, and its sizes are those of corrected differences all the same.
    """

    def said(kind: str, systems: Sequence[str], others: Sequence[str] = (), **more: object) -> Claim:
        about = {"measure": measure, "where": where, "premise": premise, "of_scores": of_scores, **more}
        return Claim(kind, tuple(systems), tuple(others), **about)  # type: ignore[arg-type]

    if len(order) == 1:
        return Claim("alone", tuple(order), measure=measure)
    if not standing.systems or standing.unknown[~np.eye(len(standing.systems), dtype=bool)].all():
        why = next((n for d in pairs for n in d.notes), "")
        return Claim("no-answer", tuple(order), measure=measure, remark=why)
    if len(identical) == 1 and len(identical[0]) == len(order):
        return Claim("identical", tuple(order), measure=measure)
    outside = [s for s in order if s not in best]
    number, n = _distinct(best, identical), _distinct(order, identical)
    if len(order) == 2:
        return _pair(pairs, best, said)
    if n >= SMALL and 2 * number >= n:
        return said("no-winner", best, outside)
    if number > FEW:
        return said("many", best, outside)
    if number > 1 and not outside:
        return said("between", best)
    if number > 1:
        return said("few", best, outside)
    return said("best", best, outside, values=_sizes(pairs, best, outside) | ({"corrected": 1.0} if pooled else {}))


def _pair(pairs: Sequence[Difference], best: Sequence[str], said: object) -> Claim:
    """Two systems: the claim of their only difference."""
    claim = pairs[0].claim
    make = said("best", best)  # type: ignore[operator]
    return replace(claim, where=make.where, premise=make.premise, of_scores=make.of_scores)


def _distinct(systems: Sequence[str], identical: Sequence[Sequence[str]]) -> int:
    """How many systems there are, identical ones counted once."""
    return len({next((tuple(c) for c in identical if s in c), (s,)) for s in systems})


def _sizes(pairs: Sequence[Difference], best: Sequence[str], others: Sequence[str]) -> dict[str, float]:
    """The smallest and the largest difference of the best to another system."""
    found = [
        abs(d.difference)
        for d in pairs
        if {d.a, d.b} & set(best) and {d.a, d.b} & set(others) and math.isfinite(d.difference)
    ]
    return {"least": min(found), "most": max(found)} if found else {}


def judge_alone(
    standing: Standing, naive: Mapping[str, float], higher_is_better: bool, *, of_scores: bool = False
) -> Claim | None:
    """What the audit says of the system that the judge alone would rank first; None where no naive score is known.

    Refuted: some system is better than every one that the judge puts first. Confirmed: these are better than all
    others. Left open: neither.
    """
    known = {s: v for s, v in naive.items() if math.isfinite(v) and s in standing.systems}
    if len(standing.systems) < 2 or not known:
        return None
    top = max(known.values()) if higher_is_better else min(known.values())
    first = [i for i, s in enumerate(standing.systems) if s in known and abs(known[s] - top) < 1e-12]
    others = [i for i in range(len(standing.systems)) if i not in first]
    if not others:
        return None
    better = [i for i in others if standing.beats[i, first].all()]
    shown = standing.beats[np.ix_(first, others)] | standing.equal[np.ix_(first, others)]
    measure, leaders = standing.measure, standing.named(first)
    if better:
        return Claim("refuted", leaders, standing.named(better), measure, of_scores=of_scores)
    if shown.all():
        return Claim("confirmed", leaders, measure=measure, of_scores=of_scores)
    return Claim("left-open", leaders, measure=measure, of_scores=of_scores)


def same_conclusion(one: Claim, other: Claim) -> bool:
    """Do two headlines say the same of the same systems?"""
    return (one.kind, one.systems, set(one.others)) == (other.kind, other.systems, set(other.others))


def against_baseline(pairs: Sequence[Difference], baseline: str, measure: str) -> list[Claim]:
    """Which systems are better than the baseline, worse, neither."""
    sides: dict[str, list[str]] = {"above": [], "below": [], "unclear": [], "identical": []}
    for d in (d for d in pairs if d.measure == measure):
        claim, other = d.claim, d.a if d.b == baseline else d.b
        if claim.kind in ("better", "probably"):
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
