"""The verdict as data: the order of systems, every difference with its interval, and who cannot be told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dissensus.report.study import Study, mean_interval

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.comparison.difference import Difference, Differences

OPEN = 3  # open questions answered in the verdict
NEGLIGIBLE = 0.005  # differences nobody would pay to settle


@dataclass(frozen=True)
class Outcome:
    """Systems best first, pairs (a, b, difference, low, high, p_value, significant, verdict), indistinct groups.

    `basis` says in words whose labels and which method stand behind it; `advice` what would settle open questions.
    """

    order: list[str]
    scores: pl.DataFrame
    pairs: pl.DataFrame
    groups: list[list[str]]
    basis: str
    family: str
    advice: list[str]
    higher_is_better: bool = True
    ranks: pl.DataFrame | None = None  # system, score, rank, low, high
    ranks_hold: str = ""  # what the sets [low, high] promise

    def winner(self, row: dict[str, Any]) -> tuple[str, str]:
        """(better, worse) of a pair."""
        a_wins = (row["difference"] > 0) == self.higher_is_better
        return (row["a"], row["b"]) if a_wins else (row["b"], row["a"])

    @property
    def leaders(self) -> list[str]:
        """The systems that no other system was shown to beat."""
        beaten = {self.winner(row)[1] for row in self.pairs.iter_rows(named=True) if row["significant"]}
        return [s for s in self.order if s not in beaten]

    def beaten_by(self, system: str) -> list[str]:
        """Systems that `system` was shown to beat."""
        out = []
        for row in self.pairs.iter_rows(named=True):
            if row["significant"] and system in (row["a"], row["b"]):
                winner, loser = self.winner(row)
                if winner == system:
                    out.append(loser)
        return out


def outcome(study: Study) -> Outcome:
    """Corrected by the audit where there is one, else under the judge's labels as they are."""
    return _corrected(study) if study.audit is not None else _naive(study)


def _corrected(study: Study) -> Outcome:
    import polars as pl

    found = study.verdict
    assert found is not None
    table = found.table.filter(pl.col("measure") == study.measure)
    method = found.results[study.measure].estimate.method
    basis = f"{study.measure} by the labels of {study.judge_name}, corrected by the audit ({method})"
    scores = table.select("system", score="corrected", low="low", high="high")
    if scores.height < 2:
        return _made(study, scores, None, basis)
    together = found.compare_all()

    def settle(d: Difference) -> str:
        return found.compare(d.a, d.b, measure=study.measure, difference=round(abs(d.difference), 3)).advice

    return _made(study, scores, together, basis, settle)


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
) -> Outcome:
    import polars as pl

    from dissensus.inference.comparison.ranks import claim

    ranked = scores.sort("score", descending=study.measures[0].higher_is_better, nulls_last=True)
    order = ranked["system"].to_list()
    pairs = () if together is None else together.pairs
    schema = {"a": pl.String, "b": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64,
              "p_value": pl.Float64, "significant": pl.Boolean, "verdict": pl.String}  # fmt: skip
    frame = pl.DataFrame(
        [{"significant": d.significant, **{k: v for k, v in d.row().items() if k in schema}} for d in pairs],
        schema=schema,
    )
    return Outcome(
        order=order,
        scores=ranked,
        pairs=frame.sort(pl.col("difference").abs(), descending=True, nulls_last=True),
        groups=[] if together is None else [list(g) for g in together.groups.get(study.measure, []) if len(g) > 1],
        basis=basis,
        family="nothing to compare" if together is None else together.family,
        advice=[] if settle is None else _advice(order, pairs, settle),
        higher_is_better=study.measures[0].higher_is_better,
        ranks=None if together is None else together.ranks().drop("measure"),
        ranks_hold=claim(pairs),
    )


def _advice(order: list[str], pairs: Sequence[Difference], settle: Callable[[Difference], str]) -> list[str]:
    """What would settle the open questions at the top: neighbours in the order that cannot be told apart."""
    known = {frozenset((d.a, d.b)): d for d in pairs}
    out: list[str] = []
    for a, b in pairwise(order):
        d = known.get(frozenset((a, b)))
        if d is None or d.significant or not abs(d.difference) >= NEGLIGIBLE or not np.isfinite(d.detectable):
            continue
        near = d.detectable <= abs(d.difference)  # found, had it been the only question
        what = "near the border; fewer comparisons, chosen beforehand, would tell" if near else settle(d).rstrip(".")
        out.append(f"{a} and {b} differ by {abs(d.difference):.3f}: {what}.")
        if len(out) == OPEN:
            break
    return out


def rank_of(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks from 1, the highest score first; equal scores share their mean rank, NaN comes last."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    above = (filled[None, :] > filled[:, None]).sum(axis=1)
    equal = (filled[None, :] == filled[:, None]).sum(axis=1)
    return np.asarray(above + (equal + 1) / 2, np.float64)
