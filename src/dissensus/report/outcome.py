"""The verdict as data: the order of systems, every difference with its interval, and who cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dissensus.report.study import Study, mean_interval, topic_means

if TYPE_CHECKING:
    import polars as pl

    from dissensus.inference.differences import Difference


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

    @property
    def leaders(self) -> list[str]:
        """The systems that no other system was shown to beat."""
        beaten = {
            row["b"] if row["difference"] > 0 else row["a"]
            for row in self.pairs.iter_rows(named=True)
            if row["significant"]
        }
        return [s for s in self.order if s not in beaten]

    def beaten_by(self, system: str) -> list[str]:
        """Systems that `system` was shown to beat."""
        out = []
        for row in self.pairs.iter_rows(named=True):
            if row["significant"] and system in (row["a"], row["b"]):
                winner, loser = (row["a"], row["b"]) if row["difference"] > 0 else (row["b"], row["a"])
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
    together = found.compare_all()
    pairs = [d for d in together.pairs if d.measure == study.measure]
    frame = pl.DataFrame([{**d.row(), "significant": d.significant} for d in pairs])
    table = found.table.filter(pl.col("measure") == study.measure).sort("corrected", descending=True, nulls_last=True)
    return Outcome(
        order=table["system"].to_list(),
        scores=table.select("system", score="corrected", low="low", high="high"),
        pairs=_tidy(frame),
        groups=[list(g) for g in together.groups.get(study.measure, []) if len(g) > 1],
        basis=f"{study.measure} by the labels of {study.judge_name}, corrected by the audit "
        f"({found.results[study.measure].estimate.method})",
        family=together.family,
        advice=_advice(table["system"].to_list(), pairs),
    )


def _advice(order: list[str], pairs: list[Difference]) -> list[str]:
    """What would settle the open questions at the top: neighbours in the order that cannot be told apart."""
    known = {frozenset((d.a, d.b)): d for d in pairs}
    out = []
    for a, b in pairwise(order):
        d = known[frozenset((a, b))]
        if not d.significant and d.advice:
            out.append(f"{a} and {b} differ by {abs(d.difference):.3f}; {d.advice.rstrip('.')}.")
    return out[:3]


def _naive(study: Study) -> Outcome:
    import polars as pl

    from dissensus.inference.significance import compare

    values = study.judge_scores.values[study.measure][0]
    together = compare(study.judge_scores.to_dataset()[[study.measure]], study.measure)
    rows = [(s, *mean_interval(values[i])[:3]) for i, s in enumerate(study.systems)]
    scores = pl.DataFrame(rows, schema=["system", "score", "low", "high"], orient="row")
    scores = scores.sort("score", descending=study.measures[0].higher_is_better, nulls_last=True)
    return Outcome(
        order=scores["system"].to_list(),
        scores=scores,
        pairs=_tidy(together.to_frame()),
        groups=[list(g) for g in together.groups if len(g) > 1],
        basis=f"{study.measure} by the labels of {study.judge_name}, taken as they are",
        family=together.family,
        advice=[],
    )


def _tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """The columns every outcome has, largest difference first."""
    import polars as pl

    kept = ["a", "b", "difference", "low", "high", "p_value", "significant", "verdict"]
    return frame.select(kept).sort(pl.col("difference").abs(), descending=True, nulls_last=True)


def rank_of(scores: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Ranks from 1, the highest score first; equal scores share their mean rank, NaN comes last."""
    filled = np.where(np.isnan(scores), -np.inf, scores)
    above = (filled[None, :] > filled[:, None]).sum(axis=1)
    equal = (filled[None, :] == filled[:, None]).sum(axis=1)
    return np.asarray(above + (equal + 1) / 2, np.float64)


__all__ = ["Outcome", "outcome", "rank_of", "topic_means"]
