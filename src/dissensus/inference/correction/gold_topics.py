"""Which topics of a score table have gold scores: one judge scored all topics, the gold judge a sample of them.

A topic is the sampled unit, so it counts as a gold topic only where gold scored every system on it. What the table
cannot answer is an error that names the judge, the system and the topic; what is left out is counted in `notes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dissensus.data.readers.choices import Missing, choices
from dissensus.errors import DissensusError, Fix, InputError, Option, Text
from dissensus.inference.correction.weights import Floats
from dissensus.measures.scores import ScoreArrays, the_one
from dissensus.wording import counted

FEW_TOPICS = 5  # gold topics below which the intervals rest on too little to lean on
APART = 10.0  # how many times larger one judge's scores may be before they are on another scale


@dataclass(frozen=True, eq=False)
class GoldTopics:
    """Scores of one measure, systems × topics; `gold` is NaN where `audited` is false."""

    measure: str
    judge_name: str
    gold_name: str
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    judge: Floats
    gold: Floats
    audited: NDArray[np.bool_]
    notes: tuple[str, ...]


def gold_topics(
    scores: ScoreArrays, measure: str, gold: str, assessor: str | None = None, missing: Missing | None = None
) -> GoldTopics:
    """The topics that the judge scored for every system, and which of them gold scored, too.

    `missing="skip"` counts a topic on which gold lacks some systems as one without gold; by default that is an error,
    or as the running command was told.
    """
    missing = choices(missing=missing).missing
    judge = _judge(scores.assessors, gold, assessor)
    name = the_one(scores.values, measure)
    bronze, best = (scores.values[name][scores.assessors.index(who)] for who in (judge, gold))
    scored = np.isfinite(best)
    _check_systems(scores.systems, scored, name, gold)
    partly = scored.any(axis=0) & ~scored.all(axis=0)
    if partly.any() and missing == "error":
        raise _partly(scores, scored, partly, name, gold)
    there = np.isfinite(bronze).all(axis=0)
    audited = scored.all(axis=0) & there
    notes = _left_out(there, scored.all(axis=0), partly, judge, gold)
    _check_number(int(audited.sum()), int(there.sum()), name, judge, gold)
    _check_scale(bronze[:, there], best[:, audited], name, judge, gold)
    kept = tuple(t for t, keep in zip(scores.topics, there, strict=True) if keep)
    best = np.where(audited, best, np.nan)[:, there]
    return GoldTopics(name, judge, gold, scores.systems, kept, bronze[:, there], best, audited[there], tuple(notes))


def _judge(assessors: tuple[str, ...], gold: str, assessor: str | None) -> str:
    """The judge to correct: the one named, or the only one beside gold."""
    named = ", ".join(assessors[:8])
    for option, name in (("gold", gold), ("assessor", assessor)):
        if name is not None and name not in assessors:
            raise InputError(
                Text(Option(option, name), f" is none of the judges whose scores these are: {named}."),
                "A judge is named by the column assessor (or judge), or by its file where there are several.",
            )
    others = [a for a in assessors if a != gold]
    if not others:
        raise InputError(f"the scores are all by {gold}, which is gold: there is no judge to correct.")
    if assessor == gold:
        raise InputError(Text(Option("assessor", assessor), " and ", Option("gold", gold), " are the same judge."))
    if assessor is None and len(others) > 1:
        raise InputError(
            f"beside {gold} there are {len(others)} judges: {', '.join(others[:8])}; one is corrected at a time.",
            Fix("Name one with ", Option("assessor"), "."),
        )
    return assessor or others[0]


def _check_systems(systems: tuple[str, ...], scored: NDArray[np.bool_], measure: str, gold: str) -> None:
    if not scored.any():
        raise InputError(
            f"{gold} gave no scores of {measure}: there is nothing to correct with.",
            "Both judges' scores must be of the same measure.",
        )
    without = [systems[s] for s in np.flatnonzero(~scored.any(axis=1))]
    if without:
        some = ", ".join(without[:5]) + (f" and {len(without) - 5:,} more" if len(without) > 5 else "")
        raise InputError(
            f"{gold} gave no score of {measure} to {some}: how the judge errs there is not known.",
            "Leave these systems out of the table, or give them gold scores on the same topics.",
        )


def _partly(
    scores: ScoreArrays, scored: NDArray[np.bool_], partly: NDArray[np.bool_], measure: str, gold: str
) -> InputError:
    t = int(np.flatnonzero(partly)[0])
    s = int(np.flatnonzero(~scored[:, t])[0])
    many = int(partly.sum())
    more = "" if many == 1 else f"; {many:,} topics lack gold scores of some systems"
    return InputError(
        f"{gold} gave no score of {measure} to system {scores.systems[s]} on topic {scores.topics[t]}, which has gold "
        f"scores of other systems{more}.",
        "Add the scores that are missing.",
        Fix("Count such topics as topics without gold with ", Option("missing", "skip"), "."),
    )


def _check_number(gold_topics: int, topics: int, measure: str, judge: str, gold: str) -> None:
    if gold_topics >= 2:
        return
    what = "no topic" if gold_topics == 0 else "one topic only"
    why = "nothing is known of the judge's errors" if gold_topics == 0 else "one says nothing of how they vary"
    raise InputError(
        f"{what} of the {topics:,} that {judge} scored for every system has gold scores of {measure} by {gold}: {why}.",
        "Draw topics at random and have gold score every system on them: at least 2, better 15.",
    )


def _check_scale(judge: Floats, gold: Floats, measure: str, judge_name: str, gold_name: str) -> None:
    """Refuse scores that cannot be on one scale: their difference would be a number without a meaning."""
    largest = {judge_name: float(np.abs(judge).max()), gold_name: float(np.abs(gold).max())}
    (small, below), (large, above) = sorted(largest.items(), key=lambda item: item[1])
    limit = _limit(measure)
    if limit is not None:
        if above <= limit + 1e-9:
            return
        why = f"{measure} lies between 0 and {limit:g}, and {large} has a score of {above:g}"
    elif (below <= 1 and above >= 2) or above > APART * below > 0:
        why = f"the largest score of {measure} is {below:g} by {small} and {above:g} by {large}"
    else:
        return
    raise InputError(f"{judge_name} and {gold_name} are not on one scale: {why}.", "Bring both to one scale first.")


def _limit(measure: str) -> float | None:
    """The highest value that a measure of ours can have; None where it has none, or is not ours."""
    from dissensus.measures.catalog import measure as named

    try:
        found = named(measure)
    except DissensusError:
        return None
    return 1.0 if found.bounded and found.aggregate == "mean" else np.inf


def _left_out(
    there: NDArray[np.bool_], scored: NDArray[np.bool_], partly: NDArray[np.bool_], judge: str, gold: str
) -> list[str]:
    notes = []
    if lost := int((~there).sum()):
        beside = int((~there & scored).sum())
        also = f", {beside:,} of them with gold scores" if beside else ""
        notes.append(f"{counted(lost, 'topic')} without {judge}'s score of every system left out{also}")
    if skipped := int((partly & there).sum()):
        notes.append(f"{counted(skipped, 'topic')} with {gold}'s scores of some systems only count as without gold")
    m, n = int((there & scored).sum()), int(there.sum())
    if m == n:
        notes.append(f"all {n:,} topics have gold scores by {gold}: those of {judge} change nothing")
    elif m < FEW_TOPICS:
        notes.append(f"only {m} topics have gold scores: intervals and p-values are unreliable")
    return notes
