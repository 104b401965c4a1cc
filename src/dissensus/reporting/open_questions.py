"""What would settle what is open: the labels or topics that neighbours in the order need to be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dissensus.inference.comparison.engine import margin, units_needed
from dissensus.inference.planning.prospect import labels_needed

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.correction.result import Corrected

ASKED, FIRST_PLACE = 4, 2  # questions answered, among them about the first place
NEGLIGIBLE = 0.005  # differences that are not worth settling


@dataclass(frozen=True)
class Question:
    """Is a better than b? `labels` more expert labels, or `topics` topics in all, would tell with 80 % power.

    Both hold for this question asked alone, if the difference seen is the true one. `labels` is None where none can
    (even an expert's grade of every document would leave the topics too few) or where there is no audit to extend;
    both are 0 where the data at hand would do, had this been the only question.
    """

    a: str
    b: str
    difference: float
    labels: int | None
    topics: int | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


Needs = Callable[["Difference"], tuple[int | None, int | None]]


def open_questions(
    order: Sequence[str], pairs: Sequence[Difference], needs: Needs, identical: Sequence[Sequence[str]] = ()
) -> list[Question]:
    """Who else may be first, then neighbours from the top; identical systems and negligible differences aside."""
    by_systems = {frozenset((d.a, d.b)): d for d in pairs}
    second = {s for twins in identical for s in sorted(twins, key=list(order).index)[1:]}  # the first stands for all
    order = [s for s in order if s not in second]

    def undecided(a: str, b: str) -> bool:
        d = by_systems.get(frozenset((a, b)))
        if d is None or d.claim.kind != "undecided":
            return False
        return abs(d.difference) >= NEGLIGIBLE and math.isfinite(d.se)

    rivals = [(order[0], s) for s in order[1:] if undecided(order[0], s)][:FIRST_PLACE]
    nearby = [(a, b) for a, b in pairwise(order) if undecided(a, b) and (a, b) not in rivals]
    out: list[Question] = []
    for a, b in (rivals + nearby)[:ASKED]:
        d = by_systems[frozenset((a, b))]
        labels, topics = needs(d)
        out.append(Question(a, b, d.difference if d.a == a else -d.difference, labels, topics))
    return out


def topics_needed(d: Difference, n: int) -> tuple[int | None, int | None]:
    """(no labels, topics in all) that would show a difference of labels taken as they are."""
    topics = units_needed(n, d.se * margin(d.df, d.level), abs(d.difference))
    return None, topics if topics > n else 0


def labels_or_topics(corrected: Corrected, measure: str, d: Difference) -> tuple[int | None, int | None]:
    """(more expert labels, topics in all) that would show a corrected difference."""
    result, n = corrected.results[measure], len(corrected.topics)
    if result.estimate.floor is None:  # nothing is known of what more labels would bring
        return topics_needed(d, n)
    pair = (corrected.place_of(d.a), corrected.place_of(d.b))
    one = labels_needed(
        result.measure, corrected.design, pair, abs(d.difference), made=result.estimate, target=corrected.target,
        level=d.level, seed=corrected.seed,
    )  # fmt: skip
    if math.isnan(one.labels):
        return None, None if math.isnan(one.topics) else int(one.topics)
    return int(one.labels), 0 if one.labels == 0 else None
