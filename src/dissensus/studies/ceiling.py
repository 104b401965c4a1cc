"""Whether the ceiling predicts what happens, and what it is for whole data sets.

Fig. 1 of the ceiling paper on judgments of several assessors (FILES, or --judgments): predicted against actual score of
one judge's ranking under another, a point per topic and ordered pair, with the pair's own matrix, the same without the
topic, one pooled matrix, and any in `matrices` (JSON files or published names). Table 1: ceilings of the LETOR/SVMlight
files in `letor` (else of the judgments) under `matrices`, by the three methods; `best` are the best known scores. A
generated collection is used without files. The paper's own values of Table 1 and its matrices are missing from the
text that we have, so nothing printed is beside ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from dissensus.arrays import Values
from dissensus.errors import InputError
from dissensus.inference.ceiling.api import Method, ceiling
from dissensus.io.samples import generated_collection
from dissensus.judging.confusion.api import Confusion
from dissensus.judging.confusion.counting import confusion
from dissensus.judging.confusion.published import published
from dissensus.measures.measure import Measure
from dissensus.studies.labels.cross_judge import CrossJudge, CrossScores
from dissensus.studies.study import Figure, Request, StudyOutcome
from dissensus.tables.features import read_features
from dissensus.tables.judgments import Judgments

EXPONENTIAL = "nDCG(dcg='exp-log2')"
METHODS: tuple[tuple[str, Method], ...] = (("exact", "exact"), ("SIM", "simulate"), ("CFA", "normal"))

SETTINGS: Values = {
    "measure": "nDCG(dcg='exp-log2')",
    "min_documents": 10,
    "matrices": (),
    "letor": (),
    "best": (),
    "samples": 1000,
}


def run(request: Request) -> StudyOutcome:
    settings = request.settings
    matrices = {Path(name).stem: _matrix(name) for name in settings["matrices"]}
    tables: Values = {}
    notes: list[str] = []
    figures: dict[str, Figure] = {}
    measure = settings["measure"]
    judgments, said = _read(request)
    notes += said
    if judgments is not None:
        fitting = {name: m for name, m in matrices.items() if len(m) == len(judgments.scale)}
        study = ceiling_study(judgments, measure, elsewhere=fitting, min_documents=settings["min_documents"])
        tables |= study.tables
        notes += study.notes
        figures |= study.figures
    data: Values = {Path(p).name: read_features(p).judgments() for p in settings["letor"]}
    if not data and judgments is not None and not (request.files or request.judgments or matrices):
        one, two = judgments.assessors[:2]  # the generated collection: its own judges give the matrices
        matrices = {f"{a} by {b}": confusion(judgments, a, b) for a, b in ((one, two), (two, one))}
        judgments = judgments.select(assessors=[one])
    if matrices and not data and judgments is not None:
        data = {"judgments": judgments}
    if data and not matrices:
        raise InputError("ceilings of data sets need confusion matrices.", "--set matrices=C.json,trec-rf10-crowd")
    if data:
        best = dict(zip(data, (float(b) for b in settings["best"]), strict=False))
        options: Values = {"samples": settings["samples"], "seed": request.seed}
        tables["Table 1"] = limits(data, matrices, measure, best=best, **options)
    return StudyOutcome(tables=tables, notes=notes, figures=figures)


def _matrix(name: str) -> Confusion:
    return Confusion.read(name) if Path(name).exists() or name.endswith(".json") else published(name)


def _read(request: Request) -> tuple[Judgments | None, list[str]]:
    files = [*request.files, *request.judgments]
    if files:
        return request.read_judgments(files, "keep"), []
    if request.settings["letor"]:
        return None, []

    note = "generated collection: name a file of judgments for real ones"
    return generated_collection(request.seed).judgments, [note]


def ceiling_study(
    judgments: Judgments,
    measure: str | Measure = EXPONENTIAL,
    *,
    elsewhere: Mapping[str, Confusion] | None = None,
    min_documents: int = 10,
) -> StudyOutcome:
    """Predicted against actual scores with four kinds of matrices: the pair's own, the pair's without the topic,
    pooled over all pairs, and those given in `elsewhere`.

    Fig. 1 as one table (matrix, topic, ranks, scores, documents, actual, predicted) and its summary.
    """
    kinds: Values = {"own pair": "pair", "own pair, topic left out": "left-out", "all pairs pooled": "pooled"}
    kinds |= dict(elsewhere or {})
    scores = CrossScores.of(judgments, measure, min_documents=min_documents)
    results: dict[str, CrossJudge] = {name: scores.against(kind) for name, kind in kinds.items()}
    figure = pl.concat([r.table.select(pl.lit(name).alias("matrix"), pl.all()) for name, r in results.items()])
    summary = pl.DataFrame(
        [
            {"matrix": name, "points": r.table.height, "bias": r.bias, "rmse": r.rmse, "correlation": r.correlation}
            | r.intervals()
            for name, r in results.items()
        ]
    )
    notes = dict.fromkeys(note for r in results.values() for note in r.notes)
    head = f"{scores.measure}; predicted − actual; ties in the ranking judge's labels averaged over"
    return StudyOutcome(
        {"summary": summary, "Fig. 1": figure},
        (head, *notes),
        figures={"fig1": Figure("ceiling", "cross_chart", (figure, str(measure).partition("(")[0]))},
    )


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
    rows: list[Values] = []
    for name, grades in data.items():
        for words, method in METHODS:
            row: Values = {"data": name, "method": words}
            for matrix, matrix_confusion in matrices.items():
                row[matrix] = float(ceiling(grades, matrix_confusion, measure, method, samples, seed))
            row["best known"] = (best or {}).get(name)
            rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None)
