"""The notes below comparisons: what more would bring, who is undecided, what the rank sets promise, what all rests on.

A first screen shows what is said of the outcome, and the policies.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

from dissensus.inference.comparison.pair_diagnosis import diagnosis_lines
from dissensus.inference.comparison.ranks import claim

if TYPE_CHECKING:
    from dissensus.arrays import Values
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.comparison.outcome import Outcome

NAMED = 5  # groups of a measure


def comparison_notes(found: Differences, whole: bool = False) -> list[str]:
    """The notes below a comparison; not `whole`, groups and diagnoses beyond the first are counted."""
    probable = [] if found.baseline is not None or found.pooled is None else [
        f"{c.measure}: {c} (pooled)" for o in found.outcomes.values() for c in o.probable_pairs
    ]  # fmt: skip
    notes = [
        *first_notes(found), *probable, *_undecided(found, whole), *_neighbours(found),
        claim(found.pairs) if found.baseline is None else "", f"family: {found.family}",
        *diagnosis_lines(found.diagnosis, whole), *found.basis.notes, *found.basis.source,
    ]  # fmt: skip
    return [note for note in notes if note]


def first_notes(found: Differences) -> list[str]:
    """What a first screen shows: what is said of the outcome, and the policies."""
    remarks = found.outcome.remarks if found.baseline is None else ()
    return [note for note in (*remarks, found.basis.policies) if note]


def _undecided(found: Differences, whole: bool) -> list[str]:
    """Groups of systems of which every two are undecided, a line per measure."""
    out = []
    for measure, groups in found.groups.items():
        if not groups or (len(groups) == 1 and len(found.pairs) == 1):
            continue
        named = groups if whole else groups[:NAMED]
        more = f" | … and {len(groups) - len(named)} more groups" if len(named) < len(groups) else ""
        out.append(f"{measure}, undecided: " + " | ".join(", ".join(g) for g in named) + more)
    return out


def _neighbours(found: Differences) -> list[str]:
    """How many neighbours on the leaderboard are undecided, where there are enough of them to ask."""
    out = []
    for measure, outcome in found.outcomes.items() if found.baseline is None else ():
        order = outcome.order
        pairs = [d for d in found.pairs if d.measure == measure]
        settled = {frozenset((d.a, d.b)) for d in pairs if d.significant or d.claim.kind in ("equal", "within")}
        open_pairs = sum(frozenset(pair) not in settled for pair in pairwise(order))
        if len(order) > 3:
            out.append(f"{measure}: {open_pairs} of {len(order) - 1} neighbours in the order are undecided")
    return out


def outcome_facts(outcomes: Iterable[Outcome]) -> Values:
    """The outcome by the first measure, and those by all, for JSON."""
    made = {o.measure: o.to_dict() for o in outcomes}
    return {"outcome": next(iter(made.values()), None), "outcomes": made}
