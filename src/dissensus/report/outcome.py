"""The verdict as data: what is claimed of the systems, from tested differences, and everything it rests on.

Nothing here is sorted by scores: order, ranks and groups come from the differences, so that an audit which can speak of
differences only has an order, too. Where pooled scores are known, the order is theirs, and what they make likely is
kept apart from what the audit shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from dissensus.report.open_questions import Needs, Question, labels_or_topics, open_questions, topics_needed
from dissensus.report.score_study import ScoreStudy
from dissensus.report.standings import Interval, Shown, behind, standings
from dissensus.report.study import Scored, Study, mean_interval

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.difference import Difference, Differences
    from dissensus.inference.correction.score_tables import CorrectedScores


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


def outcome(study: Scored) -> Outcome:
    """Corrected by the audit where there is one, else under the judge's labels as they are."""
    if isinstance(study, ScoreStudy) and study.corrected is not None:
        return _by_gold(study, study.corrected)
    return _corrected(study) if isinstance(study, Study) and study.audit is not None else _naive(study)


def _corrected(study: Study) -> Outcome:
    import polars as pl

    from dissensus.inference.comparison.headline import naive_first
    from dissensus.inference.comparison.pair_diagnosis import diagnoses

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
    import polars as pl

    from dissensus.inference.comparison.headline import naive_first
    from dissensus.measures.catalog import lower_is_better

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


def _naive(study: Scored) -> Outcome:
    import polars as pl

    from dissensus.inference.comparison.api import compare

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
    study: Scored,
    scores: pl.DataFrame,
    together: Differences | None,
    basis: str,
    needs: Needs | None = None,
    likely: Differences | None = None,
    shown: Shown = "naive",
    values: Mapping[str, Interval] | None = None,
) -> Outcome:
    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.headline import headline, likely_ahead
    from dissensus.inference.comparison.headline import together as groups_of
    from dissensus.inference.comparison.ranks import claim

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
    import polars as pl

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
