"""The outcome as a page shows it: one row per system and per pair, letters, and what would settle what is open.

Everything that is concluded comes from `inference.comparison.outcome`. Nothing is concluded here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from dissensus.arrays import Values
from dissensus.inference.comparison.api import compare
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.differences import CLAIM, RANKS
from dissensus.inference.comparison.evidence import outcome_of_scores
from dissensus.inference.comparison.evidence_value import Interval
from dissensus.inference.comparison.other_judges import asked_judges, complete_judges
from dissensus.inference.comparison.outcome import Outcome
from dissensus.inference.comparison.pair_diagnosis import DIAGNOSIS, diagnoses
from dissensus.inference.comparison.ranks import claim, letters
from dissensus.reporting.open_questions import Needs, Question, labels_or_topics, open_questions, topics_needed
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.study import ReportedStudy, ScoredSystems
from dissensus.results import Result, Table

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.measures.scores import ScoreArrays

LEVEL = 0.95
PAIRS = {**CLAIM, "better": "the better system, where that is shown", "worse": "the worse system, where that is shown"}
STANDINGS = {
    "place": "place in the order",
    "score": "the score of the system",
    "groups": "systems that share a letter are undecided",
    "best rank": "the best place that the data leave open",
    "worst rank": "the worst place that the data leave open",
}


@dataclass(frozen=True, eq=False)
class Answer(Result):
    """The outcome, with what a page adds: whose labels and which method are behind it, open questions, diagnosis.

    `family` says for how many comparisons intervals are adjusted.
    """

    outcome: Outcome
    basis: str
    family: str
    questions: list[Question] = field(default_factory=list)
    diagnosis: pl.DataFrame | None = None

    @property
    def title(self) -> str:
        """What stands above the tables."""
        return "The answer"

    @cached_property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        found = {
            "scores": Table.of(self.scores, level=LEVEL),
            "pairs": Table.of(self.pairs, PAIRS, level=LEVEL),
            "order": Table.of(self.standings, STANDINGS, level=LEVEL),
        }
        if self.ranks is not None:
            found["ranks"] = Table.of(self.ranks, RANKS)
        if self.diagnosis is not None:
            found["diagnosis"] = Table.of(self.diagnosis, DIAGNOSIS)
        return found

    @property
    def notes(self) -> list[str]:
        """For how many comparisons intervals are adjusted."""
        return [self.family] if self.family else []

    @property
    def facts(self) -> Values:
        """The outcome, the order, the best set, groups, what the answer rests on, and open questions."""
        found = self.outcome
        return {
            "measure": found.measure, "outcome": found.to_dict(), "order": self.order, "best": list(found.best),
            "groups": self.groups, "basis": self.basis, "open": [q.to_dict() for q in self.questions],
        }  # fmt: skip

    @property
    def order(self) -> list[str]:
        """The systems, best first."""
        return list(self.outcome.order)

    @property
    def claims(self) -> list[Claim]:
        """The conclusion in a few claims."""
        return list(self.outcome.claims)

    @property
    def shown(self) -> str:
        """Which score is *the* score: pooled, corrected, naive, or "behind": differences to the first."""
        return self.outcome.kind

    @property
    def groups(self) -> list[list[str]]:
        """Systems of which every two are undecided."""
        return [list(g) for g in self.outcome.groups]

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """One row per pair, the largest difference first."""
        return _pair_table(self.outcome)

    @property
    def ranks(self) -> pl.DataFrame | None:
        """system, score, rank, low, high; None where nothing was compared."""
        return self.outcome.ranks if self.outcome.pairs else None

    @property
    def ranks_hold(self) -> str:
        """What the rank sets promise."""
        return claim(self.outcome.pairs)

    @cached_property
    def scores(self) -> pl.DataFrame:
        """system, score, low, high of *the* scores, best first; NaN where only differences are known."""
        nothing = (float("nan"),) * 3
        rows = [(s, *self.outcome.scores.get(s, nothing)) for s in self.order]
        return pl.DataFrame(rows, schema=["system", "score", "low", "high"], orient="row")

    @cached_property
    def standings(self) -> pl.DataFrame:
        """Table place, system, score, low, high, groups, best rank, worst rank; differences where there is no score."""
        found = self.outcome
        values: Mapping[str, Interval] = found.scores
        if self.shown == "behind":
            values = behind(self.order, found.evidence.pooled or found.pairs, found.identical)
        return standings(self.order, values, self.groups, found.identical, self.ranks)


def answer_of(study: ScoredSystems) -> Answer:
    """Corrected by the audit where there is one, else by the judge's labels, uncorrected."""
    if isinstance(study, ScoreStudy) and study.corrected is not None:
        alone = replace(study.corrected, results={study.measure: study.corrected.results[study.measure]})
        together = alone.compare_all(seed=study.seed, negligible=study.negligible)
        n = len(study.corrected.results[study.measure].topics.topics)
        return _made(together.outcome, study.basis, together, lambda d: topics_needed(d, n))
    return _corrected(study) if isinstance(study, ReportedStudy) and study.audit is not None else _naive(study)


def _corrected(study: ReportedStudy) -> Answer:
    result = study.verdict
    assert result is not None
    several = len(result.systems) > 1
    together = result.compare_all(negligible=study.negligible) if several else None
    found = result.conclude(negligible=study.negligible) if together is None else together.outcome
    found = _beside_measures(found, study)
    method = result.results[study.measure].estimate.method
    basis = f"{study.measure} by the labels of {study.judge_name}, corrected by the audit ({method})"
    if found.kind == "pooled":
        basis += ", in the order of scores pooled over systems"
    if together is None:
        return Answer(found, basis, "nothing to compare")
    made = _made(found, basis, together, lambda d: labels_or_topics(result, study.measure, d))
    rows = [d.row() for d in diagnoses(result, together)]
    frame = pl.DataFrame(rows).drop("measure") if rows else None
    return Answer(made.outcome, basis, made.family, made.questions, frame)


def _beside_measures(found: Outcome, study: ReportedStudy) -> Outcome:
    """The outcome with those of the report's other measures, then of other judges."""
    whole, judges = study.corrected, found.also
    assert whole is not None
    names = [n for n in whole.results if n != study.measure]
    return replace(found, also=lambda: [*map(whole.conclude, names), *judges()])


def _other_naive(study: ScoredSystems, compared: Callable[[ScoreArrays, str], Outcome]) -> list[Outcome]:
    """Outcomes without an audit, by the other measures and by other complete judges."""
    out = [compared(study.judge_scores, name) for name in study.judge_scores.values if name != study.measure]
    if isinstance(study, ReportedStudy):
        scored = partial(_scored_by, study)
        judges = complete_judges(study.judgments, study.assessor)
        out += asked_judges(judges, lambda judge: compared(scored(judge), study.measure))
    return out


def _scored_by(study: ReportedStudy, judge: str) -> ScoreArrays:
    return study.score(study.under(study.judgments.select(assessors=[judge])), study.measures[:1])


def _naive(study: ScoredSystems) -> Answer:
    values = study.judge_scores.values[study.measure][0]
    known = np.isfinite(values).all(axis=0).sum()
    if len(study.systems) > 1 and known > 1:
        together = compare(study.judge_scores, study.measure, negligible=study.negligible, by=study.by)
        n = len(study.judge_scores.topics)
        others = partial(_other_naive, study, lambda scores, name: compare(scores, name).outcome)
        found = replace(together.outcome, also=others)
        return _made(found, study.basis, together, lambda d: topics_needed(d, n))
    judge = study.judge_scores.assessors[0]
    alone = outcome_of_scores(study.measure, judge, tuple(study.systems), values, ())
    return Answer(alone, study.basis, "nothing to compare")


def _made(found: Outcome, basis: str, together: Differences, needs: Needs) -> Answer:
    twins = [list(c) for c in found.identical]
    return Answer(found, basis, together.family, open_questions(found.order, found.pairs, needs, twins))


def _pair_table(found: Outcome) -> pl.DataFrame:
    """One row per pair, the largest difference first; `better` and `worse` only where that is shown."""
    schema = {"a": pl.String, "b": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
              "p_value": pl.Float64, "significant": pl.Boolean, "claim": pl.String, "better": pl.String,
              "worse": pl.String, "verdict": pl.String}  # fmt: skip
    probable = {frozenset(c.systems + c.others): c for c in found.probable_pairs}
    rows = []
    for d in found.pairs:
        c = d.claim
        shown = c.kind == "better"
        if not shown:
            c = probable.get(frozenset((d.a, d.b)), c)
        rows.append((d.a, d.b, d.difference, *d.interval, d.p_value, d.significant, c.kind,
                     c.systems[0] if shown else None, c.others[0] if shown else None, str(c)))  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.sort(pl.col("difference").abs(), descending=True, nulls_last=True, maintain_order=True)


def rank_of(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks from 1, the highest score first; equal scores share their mean rank, NaN has none."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    above = (filled[None, :] > filled[:, None]).sum(axis=1)
    equal = (filled[None, :] == filled[:, None]).sum(axis=1)
    return np.asarray(np.where(np.isnan(scores), np.nan, above + (equal + 1) / 2), np.float64)


def standings(
    order: Sequence[str],
    values: Mapping[str, Interval],
    groups: Sequence[Sequence[str]],
    identical: Sequence[Sequence[str]],
    ranks: pl.DataFrame | None,
) -> pl.DataFrame:
    """Table place, system, score, low, high, groups, best rank, worst rank; identical systems share a place."""
    place = {s: i for i, s in enumerate(order, start=1)}
    for twins in identical:
        place |= dict.fromkeys(twins, min(place[s] for s in twins))
    named = letters(order, groups, identical)
    sets = {} if ranks is None else {r["system"]: (r["low"], r["high"]) for r in ranks.iter_rows(named=True)}
    nothing = (float("nan"),) * 3
    rows = [
        (place[s], s, *values.get(s, nothing), named.get(s, ""), *sets.get(s, (None, None)))
        for s in order
    ]  # fmt: skip
    schema = {
        "place": pl.Int64, "system": pl.String, "score": pl.Float64, "low": pl.Float64, "high": pl.Float64,
        "groups": pl.String, "best rank": pl.Int64, "worst rank": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def behind(
    order: Sequence[str], pairs: Sequence[Difference], identical: Sequence[Sequence[str]]
) -> dict[str, Interval]:
    """(difference, low, high) of every system minus the first, from tested differences; 0 where identical to it."""
    first = order[0]
    same = next((twins for twins in identical if first in twins), [first])
    out: dict[str, Interval] = dict.fromkeys(same, (0.0, 0.0, 0.0))
    for d in pairs:
        if first in (d.a, d.b) and not {d.a, d.b} <= set(same):
            e = d if d.b == first else d.reversed()
            out[e.a] = (e.difference, *e.interval)
    return out
