"""Evidence for an outcome: from corrected scores, from labels or scores taken as they are, from a gold judge's scores.

Each form gathers the same parts: tested differences, every kind of score with its interval, what a recommendation is
drawn from, and the outcome for the other target.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.arrays import Floats
from dissensus.errors import Fix, InputError, MeasureError, Option, Text
from dissensus.inference.comparison.belief import belief_of, belief_of_scores
from dissensus.inference.comparison.by_group import ByGroup, by_group
from dissensus.inference.comparison.decision import NEGLIGIBLE, check_negligible
from dissensus.inference.comparison.evidence_value import Evidence, Interval
from dissensus.inference.comparison.outcome import Outcome, conclude
from dissensus.inference.correction.estimate import MeasureResult
from dissensus.inference.correction.fieller import score_intervals
from dissensus.measures.catalog import lower_is_better
from dissensus.measures.catalog import measure as named
from dissensus.stats.intervals import mean_intervals

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference, Ruled
    from dissensus.inference.correction.gold_topics import RectifiedScores
    from dissensus.inference.correction.result import Corrected
    from dissensus.inference.sequential.stop import Verdict

OTHER = {"population": "these_topics", "these_topics": "population"}


def negligible_of(measure: str, asked: float | None) -> float | None:
    """δ: the one asked for, else 0.02 of a measure that lies between 0 and 1; None where its range has no end."""
    check_negligible(asked)
    try:
        bounded = named(measure).bounded
    except MeasureError:
        bounded = False
    if asked is None:
        return NEGLIGIBLE if bounded else None
    if bounded and asked >= 1:
        raise InputError(
            Text(Option("negligible", asked), f": {measure} lies between 0 and 1, and no difference would matter.")
        )
    return float(asked)


# ── corrected by an audit, or through a matrix ───────────────────────────────────────────────────────────────────────
def outcome_of_corrected(
    corrected: Corrected,
    name: str,
    pairs: tuple[Difference, ...] | None = None,
    *,
    negligible: float | None = None,
    in_use: str | None = None,
    elsewhere: bool = True,
) -> Outcome:
    """The outcome of one measure; `pairs` are its tested differences, by max-t where none are given."""
    result = corrected.results[name]
    alone = corrected.only(name)
    if pairs is None:
        pairs = alone.compare_all().pairs if len(corrected.systems) > 1 else ()
    pooled = alone.pooled.get(name)
    offered = pooled is not None and not pooled.why_not
    doubted: frozenset[str] = frozenset()
    if offered and pooled is not None and pooled.pool is not None:
        doubted = frozenset(np.array(corrected.systems)[pooled.pool.doubted].tolist())

    def other() -> Outcome | None:
        if not elsewhere or any(
            d.ruled for d in pairs
        ):  # labels that chose when to stop: the other set would be for one look
            return None
        found = alone.for_target(OTHER[corrected.target])
        if found is None:
            return None
        return outcome_of_corrected(found, name, negligible=negligible, in_use=in_use, elsewhere=False)

    known = not (result.refused or result.estimate.why_not)
    made = conclude(
        Evidence(
            measure=name,
            judge=corrected.judge_name,
            systems=corrected.systems,
            pairs=pairs,
            scores=_kinds(alone, result),
            topics=len(corrected.topics),
            audited=True,
            target=corrected.target,
            higher_is_better=result.measure.higher_is_better,
            pooled=alone.compare_all(pooled=True).pairs if offered and len(corrected.systems) > 1 else (),
            level_known=known,
            doubted=doubted,
            negligible=negligible_of(name, negligible),
            in_use=in_use,
            belief=lambda kinds: belief_of(alone, result, kinds),
            facts=lambda: corrected.judge,
            elsewhere=other,
            seed=corrected.seed,
        )
    )
    return made if corrected.options.by is None or not elsewhere else replace(made, by=_by_group(corrected, result))


def ruled(pairs: tuple[Difference, ...], verdicts: tuple[Verdict, ...]) -> tuple[Difference, ...]:
    """The pairs with sets that hold at every look in the place of intervals for one look."""
    by_pair = {frozenset((v.a, str(v.b))): v for v in verdicts if v.b is not None}
    out = []
    for d in pairs:
        v = by_pair.get(frozenset((d.a, d.b)))
        if v is None or v.state == "tied":
            out.append(d)
            continue
        sign = 1.0 if v.a == d.a else -1.0
        ends = (v.low, v.high) if v.a == d.a else (-v.high, -v.low)
        size = sign * v.estimate if np.isfinite(v.estimate) else d.difference
        if v.state == "better" and (size > 0) != (v.winner == d.a):  # the estimate may lie outside the set
            size = sum(ends) / 2
        kind: Ruled = "better" if v.state == "better" else "within" if v.state == "equivalent" else "open"
        margin = d.margin if v.margin is None else v.margin
        out.append(
            replace(d, difference=size, interval=ends, p_value=np.nan, se=np.nan, ruled=kind, margin=margin,
                    level=v.level, method="valid at every look", adjusted="none", advice="")
        )  # fmt: skip
    return tuple(out)


def _by_group(corrected: Corrected, result: MeasureResult) -> ByGroup:
    """The same within groups of topics: corrected scores by topic, which hold whatever the judge does in a group."""
    parts = result.estimate.rectified
    if parts is None or corrected.options.by is None:
        raise InputError(
            f"{result.name}: corrected scores by topic are not known, so nothing can be said of groups of topics.",
            Fix("Take an audit of scored documents and a linear measure such as P@10."),
            Fix("Leave ", Option("by", None), " out."),
        )
    return by_group(
        result.name, corrected.systems, parts.scores, corrected.topics, corrected.options.by, predicted=parts.predicted,
        level=corrected.level, seed=corrected.seed,
    )  # fmt: skip


def _kinds(corrected: Corrected, result: MeasureResult) -> dict[str, dict[str, Interval]]:
    """Every kind of score with its interval."""
    systems, level = corrected.systems, corrected.level
    out = {"naive": _named(systems, *mean_intervals(result.naive, level))}
    estimate, pooled = result.estimate, corrected.pooled.get(result.name)
    if not estimate.why_not:
        ends = score_intervals(estimate, level)
        few = estimate.too_few
        known = (np.where(few, np.nan, x) for x in ends)
        out["corrected"] = _named(systems, estimate.theta, *known)
    if pooled is not None and not pooled.why_not:
        out["pooled"] = _named(systems, pooled.theta, *score_intervals(pooled, level))
    return out


def _named(systems: tuple[str, ...], *columns: Floats) -> dict[str, Interval]:
    values, low, high = (np.asarray(c, np.float64).tolist() for c in columns)
    return {s: (v, a, b) for s, v, a, b in zip(systems, values, low, high, strict=True)}


# ── labels or scores as they are ─────────────────────────────────────────────────────────────────────────────────────
def outcome_of_scores(
    measure: str,
    judge: str,
    systems: tuple[str, ...],
    scores: Floats,
    pairs: tuple[Difference, ...],
    *,
    means: Floats | None = None,
    level: float = 0.95,
    of_scores: bool = False,
    negligible: float | None = None,
    in_use: str | None = None,
    seed: int = 0,
    by: ByGroup | None = None,
) -> Outcome:
    """The outcome of per-topic scores (systems × topics) taken as they are, for topics like these."""
    mean, low, high = mean_intervals(scores, level)
    plain = means is None or bool(np.allclose(means, mean, equal_nan=True))
    nothing = np.full(len(mean), np.nan)
    known = _named(systems, mean, low, high) if plain else _named(systems, means, nothing, nothing)  # type: ignore[arg-type]
    better = not lower_is_better(measure)
    topics = int(np.isfinite(scores).any(axis=0).sum())
    made = conclude(
        Evidence(
            measure, judge, systems, pairs, {"naive": known}, topics, higher_is_better=better, of_scores=of_scores,
            negligible=negligible_of(measure, negligible) if plain else None, in_use=in_use,
            belief=lambda kinds: belief_of_scores(scores, better), seed=seed,
        )
    )  # fmt: skip
    return replace(made, by=by)


def outcome_of_gold(
    rectified: RectifiedScores,
    pairs: tuple[Difference, ...],
    *,
    level: float = 0.95,
    negligible: float | None = None,
    in_use: str | None = None,
    seed: int = 0,
    elsewhere: Callable[[], Outcome | None] = lambda: None,
) -> Outcome:
    """The outcome of a table of scores that a gold judge's scores on some of the topics correct."""
    r, topics = rectified, rectified.topics
    half = r.half(level)
    naive = _named(topics.systems, *(r.back(x) for x in mean_intervals(topics.judge, level)))
    corrected = _named(topics.systems, r.means(), r.back(r.made.theta - half), r.back(r.made.theta + half))
    better = not lower_is_better(topics.measure)
    return conclude(
        Evidence(
            topics.measure, topics.judge_name, topics.systems, pairs, {"corrected": corrected, "naive": naive},
            len(topics.topics), audited=True, target=r.target, higher_is_better=better, of_scores=True,
            negligible=negligible_of(topics.measure, negligible) if r.aggregate == "mean" else None, in_use=in_use,
            belief=lambda kinds: belief_of_scores(topics.judge, better, r.made.theta, r.made.covariance, r.made.df),
            elsewhere=elsewhere, seed=seed,
        )
    )  # fmt: skip
