"""What would settle what is open: the labels or topics that neighbours in the order need to be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from dissensus.arrays import Values
from dissensus.inference.comparison.brief import Card
from dissensus.inference.comparison.claims import size_text
from dissensus.inference.comparison.engine import margin, units_needed
from dissensus.inference.planning.prospect import labels_needed

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.outcome import Outcome
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
    half: tuple[int | None, int | None] = (None, None)  # labels and topics, if the difference is half as large

    def to_dict(self) -> Values:
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
        half = needs(replace(d, difference=d.difference / 2)) if not out else (None, None)
        out.append(Question(a, b, d.difference if d.a == a else -d.difference, labels, topics, half))
    return out


def prospect_card(found: Outcome, questions: Sequence[Question]) -> Card:
    """What it would take to decide the first open question: a range, for nobody knows how large the difference is."""
    asked = "What would it take?"
    if len(found.order) < 2 or found.headline.kind == "no-answer":
        return Card(asked, "Not known", "No pair of systems could be compared.")
    if found.headline.kind in ("best", "better", "identical"):
        later = " What is open is about the other places." if questions else ""
        return Card(asked, "Nothing more", f"The first place is decided.{later}", "good" if found.audited else "plain")
    if not questions:
        return Card(asked, "More topics", f"The open differences are below {NEGLIGIBLE:g}, or their size is not known.")
    q = questions[0]
    pair, seen = f"{q.a} or {q.b}", f"if the difference is the {size_text(abs(q.difference))} seen now"
    if q.labels:
        half = f"about {q.half[0]:,}." if q.half[0] else "labels alone cannot decide it."
        return Card(
            asked, f"About {q.labels:,} more labels", f"To decide {pair}, {seen}. If it is half of that: {half}"
        )
    if q.topics:
        half = f" If it is half of that: about {q.half[1]:,}." if q.half[1] else ""
        return Card(asked, f"About {q.topics:,} topics in all", f"To decide {pair}, {seen}.{half}")
    if q.labels is None and q.topics is None:
        return Card(asked, "Not known", f"What would decide {pair} cannot be foreseen from these data.")
    return Card(asked, "One question", f"These data would decide {pair}, if it were the only question.")


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
