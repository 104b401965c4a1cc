"""The verdict as data: what is claimed of the systems, from tested differences, and everything it rests on.

Nothing here is sorted by scores: order, ranks and groups come from the differences, so that an audit which can speak of
differences only has an order, too. Where pooled scores are known, the order is theirs, and what they make likely is
kept apart from what the audit shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dissensus.report.study import Study, mean_interval

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.difference import Difference, Differences

OPEN = 3  # open questions answered in the verdict
NEGLIGIBLE = 0.005  # differences that are not worth settling


@dataclass(frozen=True)
class Outcome:
    """`claims` is the headline, `naive` whether the audit bears out the labels as they are, `order` best first.

    `pairs` has a row per pair (a, b, difference, low, high, p_value, significant, claim), `scores` system, score, low,
    high (NaN where the audit cannot give single scores), `ranks` system, score, rank, low, high. `basis` says in words
    whose labels and which method are behind it; `advice` what would settle open questions.
    """

    claims: list[Claim]
    order: list[str]
    scores: pl.DataFrame
    pairs: pl.DataFrame
    groups: list[list[str]]
    basis: str
    family: str
    advice: list[str]
    naive: Claim | None = None
    ranks: pl.DataFrame | None = None
    ranks_hold: str = ""  # what the sets [low, high] promise
    diagnosis: pl.DataFrame | None = None

    @property
    def leaders(self) -> list[str]:
        """The systems that no other system was shown to beat."""
        beaten = {row["worse"] for row in self.pairs.iter_rows(named=True) if row["claim"] == "better"}
        return [s for s in self.order if s not in beaten]


def outcome(study: Study) -> Outcome:
    """Corrected by the audit where there is one, else under the judge's labels as they are."""
    return _corrected(study) if study.audit is not None else _naive(study)


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
        return _made(study, scores, None, basis)
    together = result.compare_all()
    pooled = result.pooled.get(study.measure)
    likely = None
    if pooled is not None and not pooled.why_not:
        likely = result.compare_all(pooled=True)
        basis += "; the order by scores pooled over systems"

    def settle(d: Difference) -> str:
        return result.compare(d.a, d.b, measure=study.measure, difference=round(abs(d.difference), 3)).advice

    found = _made(study, scores, together, basis, settle, likely)
    naive = dict(zip(table["system"], table["naive"], strict=True))
    claim = naive_first(together.standing(study.measure), naive, study.measures[0].higher_is_better)
    rows = [d.row() for d in diagnoses(result, together)]
    return replace(found, naive=claim, diagnosis=pl.DataFrame(rows).drop("measure") if rows else None)


def _naive(study: Study) -> Outcome:
    import polars as pl

    from dissensus.inference.comparison.api import compare

    values = study.judge_scores.values[study.measure][0]
    rows = [(s, *mean_interval(values[i])[:3]) for i, s in enumerate(study.systems)]
    scores = pl.DataFrame(rows, schema=["system", "score", "low", "high"], orient="row")
    known = np.isfinite(values).all(axis=0).sum()
    together = compare(study.judge_scores.to_dataset(), study.measure) if len(rows) > 1 and known > 1 else None
    basis = f"{study.measure} by the labels of {study.judge_name}, taken as they are"
    n = len(study.judge_scores.topics)

    def settle(d: Difference) -> str:
        return f"it would take about {math.ceil(n * (d.detectable / abs(d.difference)) ** 2):,} topics instead of {n:,}"

    return _made(study, scores, together, basis, settle)


def _made(
    study: Study,
    scores: pl.DataFrame,
    together: Differences | None,
    basis: str,
    settle: Callable[[Difference], str] | None = None,
    likely: Differences | None = None,
) -> Outcome:
    from dissensus.inference.comparison.claims import Claim
    from dissensus.inference.comparison.headline import headline, likely_ahead
    from dissensus.inference.comparison.headline import together as groups_of
    from dissensus.inference.comparison.ranks import claim

    systems = scores["system"].to_list()
    if together is None:
        claims = [Claim("alone", (systems[0],)) if len(systems) == 1 else Claim("no-answer", tuple(systems))]
        return Outcome(claims, systems, scores, _pair_table(()), [], basis, "nothing to compare", [])
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
    return Outcome(
        claims=claims,
        order=order,
        scores=scores.sort(scores["system"].replace_strict(place)),
        pairs=_pair_table(together.pairs),
        groups=groups,
        basis=basis,
        family=together.family,
        advice=[] if settle is None else _advice(order, together.pairs, settle),
        ranks=together.ranks().drop("measure"),
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


def _advice(order: list[str], pairs: Sequence[Difference], settle: Callable[[Difference], str]) -> list[str]:
    """What would settle the open questions at the top: neighbours in the order that cannot be told apart."""
    by_systems = {frozenset((d.a, d.b)): d for d in pairs}
    out: list[str] = []
    for a, b in pairwise(order):
        d = by_systems.get(frozenset((a, b)))
        if d is None or d.claim.kind != "undecided" or not abs(d.difference) >= NEGLIGIBLE:
            continue
        if not np.isfinite(d.detectable):
            continue
        near = d.detectable <= abs(d.difference)  # found, had it been the only question
        what = "near the border; fewer comparisons, chosen beforehand, would tell" if near else settle(d).rstrip(".")
        out.append(f"{a} and {b} differ by {abs(d.difference):.3f}: {what}.")
        if len(out) == OPEN:
            break
    return out


def rank_of(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks from 1, the highest score first; equal scores share their mean rank, NaN has none."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    above = (filled[None, :] > filled[:, None]).sum(axis=1)
    equal = (filled[None, :] == filled[:, None]).sum(axis=1)
    return np.asarray(np.where(np.isnan(scores), np.nan, above + (equal + 1) / 2), np.float64)
