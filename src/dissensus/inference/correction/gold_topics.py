"""Which topics of a score table have gold scores, and one measure corrected by them: means, pairs of systems, notes.

One judge scored all topics, the gold judge a sample of them. A topic is the sampled unit, so it counts as a gold topic
only where gold scored every system on it. What the table cannot answer is an error that names the judge, the system and
the topic; what is left out is counted in `notes`. `score_tables` has the formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dissensus.arrays import Floats, Ints
from dissensus.errors import DissensusError, Fix, InputError, Option, Text
from dissensus.inference.comparison.engine import Family, naive_differences, t_pairs, units_needed
from dissensus.inference.correction.topicwise import Topicwise, rectify_topics
from dissensus.io.options import Missing
from dissensus.measures.catalog import measure as named
from dissensus.measures.other_names import the_one
from dissensus.measures.scores import How, ScoreArrays, aggregate_of, for_means
from dissensus.stats.intervals import quantile
from dissensus.wording import counted

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference

FEW_TOPICS = 5  # gold topics below which the intervals rest on too little to lean on
APART = 10.0  # how many times larger one judge's scores may be before they are on another scale
TARGETS = ("population", "these_topics")
USUAL, DIFFERENT = 5, 3  # the judge errs equally on so many gold topics, and differently on fewer than so many
METHOD = "per-topic"


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

    `missing="skip"` counts a topic on which gold lacks some systems as one without gold; by default that is an error.
    """
    judge = _judge(scores.assessors, gold, assessor)
    name = the_one(scores.values, measure)
    bronze, best = (scores.values[name][scores.assessors.index(who)] for who in (judge, gold))
    scored = np.isfinite(best)
    _check_systems(scores.systems, scored, name, gold)
    partly = scored.any(axis=0) & ~scored.all(axis=0)
    if partly.any() and missing != "skip":
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


# ── one measure, rectified ───────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False)
class RectifiedScores:
    """One measure: scores as they are averaged (logarithms where the mean is geometric), and what follows from them."""

    topics: GoldTopics
    aggregate: How
    target: str
    made: Topicwise

    @property
    def complete(self) -> bool:
        """Does every topic have gold scores?"""
        return bool(self.topics.audited.all())

    def untold(self, a: int, b: int | None = None) -> bool:
        """For these topics only: is the judge's error the same on nearly all gold topics, so that its spread is unseen?

        Of one system, or of the difference of two.
        """
        if self.target == "population" or self.complete:
            return False
        judge, gold = self.topics.judge, self.topics.gold
        error = (gold - self.made.slope[:, None] * judge)[:, self.topics.audited]
        error = error[a] if b is None else error[a] - error[b]
        if b is not None and np.array_equal(judge[a], judge[b]) and not np.abs(error).max() > 1e-12:
            return False  # the same system twice
        _, count = np.unique(error.round(12), return_counts=True)
        other = len(error) - int(count.max())
        return other == 0 or (other < DIFFERENT and int(count.max()) >= USUAL)

    def means(self) -> Floats:
        """Corrected scores, NaN where nothing is said of a system's error."""
        theta = np.array([np.nan if self.untold(s) else t for s, t in enumerate(self.made.theta)])
        return self.back(theta)

    def half(self, level: float) -> Floats:
        """Half widths of the intervals of means, on the scale on which they are averaged."""
        return np.asarray(quantile(level, self.made.df) * np.sqrt(np.diag(self.made.covariance)), np.float64)

    def back(self, values: Floats) -> Floats:
        """From the scale of means to that of scores."""
        return np.asarray(np.exp(values) if self.aggregate == "geometric" else values, np.float64)

    def family(self, pairs: tuple[Ints, Ints]) -> Family:
        """The pairs of systems for the engine; NaN where nothing is said of a pair."""
        a, b = pairs
        made = t_pairs(self.topics.measure, self.made.theta, self.made.covariance, self.made.df, pairs=pairs)
        closed = np.array([self.untold(i, j) for i, j in zip(a.tolist(), b.tolist(), strict=True)])
        difference, se = np.where(closed, np.nan, made.difference), np.where(closed, np.nan, made.se)
        p, interval = np.where(closed, np.nan, made.p), made.interval
        if self.complete and self.target == "these_topics":  # nothing is left to chance

            def exact(level: float) -> tuple[Floats, Floats]:
                return difference, difference

            p, interval = (difference == 0).astype(np.float64), exact
        n = np.full(len(a), len(self.topics.topics))
        nothing = np.full(len(a), np.nan)
        return replace(made, difference=difference, se=se, p=p, interval=interval, topics=n, effect=nothing)


def rectified(
    scores: ScoreArrays, measure: str, gold: str, assessor: str | None, target: str, missing: Missing | None = None
) -> RectifiedScores:
    """One measure of a table, rectified."""
    if target not in TARGETS:
        raise InputError(Text(Option("target", target), " is neither 'population' nor 'these_topics'."))
    found = gold_topics(scores, measure, gold, assessor, missing)
    how = aggregate_of(found.measure, scores.attrs)
    judge, best = (for_means(x, how, found.measure, found.judge.shape[1]) for x in (found.judge, found.gold))
    averaged = replace(found, judge=judge, gold=best)
    return RectifiedScores(averaged, how, target, rectify_topics(judge, best, found.audited, target))


def notes_of(r: RectifiedScores) -> list[str]:
    """What must be read beside the numbers of one measure."""
    t = r.topics
    m, n = int(t.audited.sum()), len(t.topics)
    out = [f"{t.measure}: {note}" for note in t.notes]
    if r.complete:
        return out
    slopes = "" if np.ptp(r.made.slope) == 0 == r.made.slope[0] - 1 else _slopes(r.made.slope)
    out.append(
        f"{t.measure}: {t.judge_name}'s scores on {n:,} topics{slopes}, moved by what {t.gold_name} says on {m:,} of "
        f"them; Student's t with {r.made.df:g} degrees of freedom"
    )
    out.append(f"{t.measure}: assumes that the topics with gold scores are a random sample of the topics")
    if untold := [s for i, s in enumerate(t.systems) if r.untold(i)]:
        out.append(
            f"{t.measure}: no corrected score of {', '.join(untold[:5])}: {t.judge_name} errs by the same amount on "
            f"nearly all gold topics, so nothing tells how it errs on the others; give gold scores of more topics"
        )
    return out


def _slopes(slope: Floats) -> str:
    low, high = float(slope.min()), float(slope.max())
    return f", times {low:.2f}" if low == high else f", times {low:.2f} to {high:.2f} by system"


def beside_naive(
    pairs: list[Difference], corrected: RectifiedScores, f: Family, difference: float | None
) -> list[Difference]:
    """Corrected pairs with what the judge alone says of them; `difference` is one that matters to the user."""
    naive, p = naive_differences(corrected.topics.judge, f.a, f.b)
    gold, topics = int(corrected.topics.audited.sum()), len(corrected.topics.topics)
    untold = "nothing tells how the judge errs on the other topics: it errs equally on nearly all gold topics"
    out = []
    for k, d in enumerate(pairs):
        advice = d.advice
        if difference is not None and d.detectable > difference:
            m, n = (units_needed(x, d.detectable, difference) for x in (gold, topics))
            advice = f"a difference of {difference:g} would need about {n:,} topics, {m:,} of them with gold scores"
        notes = (f"no corrected difference, because {untold}.",) if math.isnan(d.difference) else d.notes
        out.append(replace(d, method=METHOD, naive=float(naive[k]), naive_p=float(p[k]), advice=advice, notes=notes))
    return out
