"""The verdict as data: what is claimed of the systems, from tested differences, and everything it rests on.

Nothing here is sorted by scores: order, ranks and groups come from the differences, so that an audit which can speak of
differences only has an order, too. Where pooled scores are known, the order is theirs, and what they make likely is
kept apart from what the audit shows.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from dissensus.inference.comparison.api import compare
from dissensus.inference.comparison.claims import Claim
from dissensus.inference.comparison.differences import headline, likely_ahead, naive_first
from dissensus.inference.comparison.differences import together as groups_of
from dissensus.inference.comparison.pair_diagnosis import diagnoses
from dissensus.inference.comparison.ranks import claim
from dissensus.measures.catalog import lower_is_better
from dissensus.reporting.open_questions import Needs, Question, labels_or_topics, open_questions, topics_needed
from dissensus.reporting.score_study import ScoreStudy
from dissensus.reporting.study import ReportedStudy, ScoredSystems, mean_interval

if TYPE_CHECKING:
    from dissensus.inference.comparison.difference import Difference
    from dissensus.inference.comparison.differences import Differences
    from dissensus.inference.correction.score_tables import CorrectedScores


LETTERS = 10  # more groups than this are bars only: long words of letters cannot be compared
Shown = Literal["pooled", "corrected", "naive", "behind"]
Interval = tuple[float, float, float]


@dataclass(frozen=True)
class Outcome:
    """`claims` is the headline, `naive` whether the audit bears out the labels as they are, `order` best first.

    `pairs` has a row per pair (a, b, difference, low, high, p_value, significant, claim), `scores` system, score, low,
    high (NaN where the audit cannot give single scores), `ranks` system, score, rank, low, high. `basis` says in words
    whose labels and which method are behind it; `questions` what would settle what is open. `standings` is the order
    with its intervals, of the scores that `shown` names: pooled, corrected, naive, or differences to the first.
    """

    claims: list[Claim]
    order: list[str]
    scores: pl.DataFrame
    pairs: pl.DataFrame
    groups: list[list[str]]
    basis: str
    family: str
    questions: list[Question] = field(default_factory=list)
    standings: pl.DataFrame | None = None
    shown: Shown = "naive"
    naive: Claim | None = None
    ranks: pl.DataFrame | None = None
    ranks_hold: str = ""  # what the sets [low, high] promise
    diagnosis: pl.DataFrame | None = None

    @property
    def leaders(self) -> list[str]:
        """The systems that no other system was shown to beat."""
        beaten = {row["worse"] for row in self.pairs.iter_rows(named=True) if row["claim"] == "better"}
        return [s for s in self.order if s not in beaten]


def outcome(study: ScoredSystems) -> Outcome:
    """Corrected by the audit where there is one, else under the judge's labels as they are."""
    if isinstance(study, ScoreStudy) and study.corrected is not None:
        return _by_gold(study, study.corrected)
    return _corrected(study) if isinstance(study, ReportedStudy) and study.audit is not None else _naive(study)


def _corrected(study: ReportedStudy) -> Outcome:
    result = study.verdict
    assert result is not None
    table = result.table.filter(pl.col("measure") == study.measure)
    method = result.results[study.measure].estimate.method
    basis = f"{study.measure} by the labels of {study.judge_name}, corrected by the audit ({method})"
    scores = table.select("system", score="corrected", low="low", high="high")
    if scores.height < 2:
        return _made(study, scores, None, basis, shown="corrected")
    together = result.compare_all()
    pooled = result.pooled.get(study.measure)
    likely = None
    if pooled is not None and not pooled.why_not:
        likely = result.compare_all(pooled=True)
        basis += "; the order by scores pooled over systems"

    shown, values = _values(table, scores, likely)
    found = _made(
        study, scores, together, basis, lambda d: labels_or_topics(result, study.measure, d), likely, shown, values
    )
    naive = dict(zip(table["system"], table["naive"], strict=True))
    claim = naive_first(together.standing(study.measure), naive, study.measures[0].higher_is_better)
    rows = [d.row() for d in diagnoses(result, together)]
    return replace(found, naive=claim, diagnosis=pl.DataFrame(rows).drop("measure") if rows else None)


def _by_gold(study: ScoreStudy, corrected: CorrectedScores) -> Outcome:
    """Scores of a table, corrected by a gold judge's scores on some of the topics."""
    table = corrected.table.filter(pl.col("measure") == study.measure)
    scores = table.select("system", score="corrected", low="low", high="high")
    if scores.height < 2:
        return _made(study, scores, None, study.basis, shown="corrected")
    together = corrected.compare_all(seed=study.seed)
    n = len(corrected.results[study.measure].topics.topics)
    found = _made(
        study, scores, together, study.basis, lambda d: topics_needed(d, n), shown="corrected",
        values=_by_system(scores),
    )  # fmt: skip
    naive = dict(zip(table["system"], table["naive"], strict=True))
    best = not lower_is_better(study.measure)
    return replace(found, naive=naive_first(together.standing(study.measure), naive, best, of_scores=True))


def _naive(study: ScoredSystems) -> Outcome:
    values = study.judge_scores.values[study.measure][0]
    rows = [(s, *mean_interval(values[i])[:3]) for i, s in enumerate(study.systems)]
    scores = pl.DataFrame(rows, schema=["system", "score", "low", "high"], orient="row")
    known = np.isfinite(values).all(axis=0).sum()
    together = compare(study.judge_scores, study.measure) if len(rows) > 1 and known > 1 else None
    n = len(study.judge_scores.topics)
    return _made(study, scores, together, study.basis, lambda d: topics_needed(d, n), values=_by_system(scores))


def _values(
    table: pl.DataFrame, scores: pl.DataFrame, likely: Differences | None
) -> tuple[Shown, dict[str, Interval] | None]:
    """What the order shows, and its intervals; None where single scores are unknown."""
    if likely is not None and "pooled" in table.columns and table["pooled"].is_finite().any():
        return "pooled", _by_system(table.select("system", "pooled", "pooled_low", "pooled_high"))
    if scores["score"].is_finite().any():
        return "corrected", _by_system(scores)
    return "behind", None


def _by_system(frame: pl.DataFrame) -> dict[str, Interval]:
    return {system: (value, low, high) for system, value, low, high in frame.iter_rows()}


def _made(
    study: ScoredSystems,
    scores: pl.DataFrame,
    together: Differences | None,
    basis: str,
    needs: Needs | None = None,
    likely: Differences | None = None,
    shown: Shown = "naive",
    values: Mapping[str, Interval] | None = None,
) -> Outcome:
    systems = scores["system"].to_list()
    if together is None:
        claims = [Claim("alone", (systems[0],)) if len(systems) == 1 else Claim("no-answer", tuple(systems))]
        alone = standings(systems, _by_system(scores), [], [], None)
        pairs = _pair_table(())
        return Outcome(claims, systems, scores, pairs, [], basis, "nothing to compare", standings=alone, shown=shown)
    standing = together.standing(study.measure)
    if likely is not None:
        standing = standing.ordered(likely.standing(study.measure).systems)
    claims = headline(standing)
    if likely is not None:
        claims += likely_ahead(standing, likely.standing(study.measure))
    order = [*standing.systems, *(s for s in systems if s not in standing.systems)]
    place = {s: i for i, s in enumerate(order)}
    groups = [list(c.systems) for c in groups_of(standing)]
    claims += [Claim("together", tuple(g), measure=study.measure) for g in groups if standing.systems[0] not in g]
    ranks = together.ranks().drop("measure")
    twins = [list(standing.named(g)) for g in standing.identical()]
    if values is None:
        values = behind(order, (together if likely is None else likely).pairs, twins)
    return Outcome(
        claims=claims,
        order=order,
        scores=scores.sort(scores["system"].replace_strict(place)),
        pairs=_pair_table(together.pairs),
        groups=groups,
        basis=basis,
        family=together.family,
        questions=[] if needs is None else open_questions(order, together.pairs, needs, twins),
        standings=standings(order, values, groups, twins, ranks),
        shown=shown,
        ranks=ranks,
        ranks_hold=claim(together.pairs),
    )


def _pair_table(pairs: Sequence[Difference]) -> pl.DataFrame:
    """One row per pair, the largest difference first; `better` and `worse` only where that was shown."""
    schema = {"a": pl.String, "b": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
              "p_value": pl.Float64, "significant": pl.Boolean, "claim": pl.String, "better": pl.String,
              "worse": pl.String, "verdict": pl.String}  # fmt: skip
    rows = []
    for d in pairs:
        c = d.claim
        shown = c.kind == "better"
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


def letters(
    order: Sequence[str], groups: Sequence[Sequence[str]], identical: Sequence[Sequence[str]] = ()
) -> dict[str, str]:
    """The letters of every system, from the first down; none at all where there would be too many.

    Systems that share a letter cannot be told apart; a system in no group has a letter that no other system has.

    >>> letters(["a", "b", "c", "d"], [["a", "b"], ["b", "c"]])
    {'a': 'a', 'b': 'ab', 'c': 'b', 'd': 'c'}
    """
    grouped = {s for g in groups for s in g}
    together = [list(g) for g in groups] + [[s for s in t if s not in grouped] for t in identical]
    together = [g for g in together if g]
    held = {s for g in together for s in g}
    together += [[s] for s in order if s not in held]
    if len(together) > LETTERS or len(together) == len(order):
        return {}
    place = {s: i for i, s in enumerate(order)}
    together.sort(key=lambda g: (min(place[s] for s in g), max(place[s] for s in g)))
    out = dict.fromkeys(order, "")
    for letter, group in zip(string.ascii_lowercase, together, strict=False):
        for s in group:
            out[s] += letter
    return out


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
