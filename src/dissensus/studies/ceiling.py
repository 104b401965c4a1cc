"""How close rankers can come when judges disagree (S0's figure and table).

Fig. 1: predicted against actual cross-judge scores, one point per topic and ordered pair of judges, with the pairs' own
matrices and with a matrix from elsewhere. Table 1: ceilings of whole data sets under several matrices, by the three
methods, beside the best score anyone is known to have reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from dissensus.data.tables.judgments import Judgments
from dissensus.inference.ceiling.api import Method, ceiling
from dissensus.judges.confusion.api import Confusion
from dissensus.measures.measure import Measure
from dissensus.studies.cross_judge import CrossJudge, CrossScores

EXPONENTIAL = "nDCG(dcg='exp-log2')"
METHODS: tuple[tuple[str, Method], ...] = (("exact", "exact"), ("SIM", "simulate"), ("CFA", "normal"))


@dataclass(frozen=True)
class CeilingStudy:
    """Fig. 1 as one table (matrix, topic, ranks, scores, documents, actual, predicted) and its summary."""

    figure: pl.DataFrame
    summary: pl.DataFrame
    notes: tuple[str, ...]

    def tables(self) -> dict[str, pl.DataFrame]:
        return {"summary": self.summary, "Fig. 1": self.figure}


def ceiling_study(
    judgments: Judgments,
    measure: str | Measure = EXPONENTIAL,
    *,
    elsewhere: Mapping[str, Confusion] | None = None,
    min_documents: int = 10,
) -> CeilingStudy:
    """Predicted against actual scores with four kinds of matrices: the pair's own, the pair's without the topic,
    pooled over all pairs, and those given in `elsewhere`."""
    kinds: dict[str, Any] = {"own pair": "pair", "own pair, topic left out": "left-out", "all pairs pooled": "pooled"}
    kinds |= dict(elsewhere or {})
    scores = CrossScores.of(judgments, measure, min_documents=min_documents)
    results: dict[str, CrossJudge] = {name: scores.against(kind) for name, kind in kinds.items()}
    figure = pl.concat([r.table.select(pl.lit(name).alias("matrix"), pl.all()) for name, r in results.items()])
    summary = pl.DataFrame(
        [(name, r.table.height, r.bias, r.rmse, r.correlation) for name, r in results.items()],
        schema=["matrix", "points", "bias", "rmse", "correlation"],
        orient="row",
    )
    notes = dict.fromkeys(note for r in results.values() for note in r.notes)
    head = f"{scores.measure}; predicted − actual; ties in the ranking judge's labels averaged over"
    return CeilingStudy(figure, summary, (head, *notes))


def limits(
    data: Mapping[str, Judgments | Mapping[Any, Any]],
    matrices: Mapping[str, Confusion],
    measure: str | Measure = EXPONENTIAL,
    *,
    best: Mapping[str, float] | None = None,
    samples: int = 1000,
    seed: int = 0,
) -> pl.DataFrame:
    """Table 1: a row per data set and method, a column per matrix, and the best score known."""
    rows: list[dict[str, Any]] = []
    for name, grades in data.items():
        for words, method in METHODS:
            row: dict[str, Any] = {"data": name, "method": words}
            for matrix, confusion in matrices.items():
                row[matrix] = float(ceiling(grades, confusion, measure, method, samples, seed))
            row["best known"] = (best or {}).get(name)
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
