"""Whether the ceiling predicts what happens, and what it is for whole data sets.

Fig. 1 of the ceiling paper on judgments of several assessors (FILES, or --judgments): predicted against actual score of
one judge's ranking under another, a point per topic and ordered pair, with the pair's own matrix, the same without the
topic, one pooled matrix, and any in `matrices` (JSON files or published names). Table 1: ceilings of the LETOR/SVMlight
files in `letor` (else of the judgments) under `matrices`, by the three methods; `best` are the best known scores. A
generated collection is used without files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dissensus.cli.studies import Outcome, Request

if TYPE_CHECKING:
    from dissensus.data.tables.judgments import Judgments
    from dissensus.judges.confusion.api import Confusion

SETTINGS: dict[str, Any] = {
    "measure": "nDCG(dcg='exp-log2')",
    "min_documents": 10,
    "matrices": (),
    "letor": (),
    "best": (),
    "samples": 1000,
}


def run(request: Request) -> Outcome:
    from pathlib import Path

    from dissensus.data.tables.features import read_features
    from dissensus.errors import InputError
    from dissensus.studies.ceiling import ceiling_study, limits

    settings = request.settings
    matrices = {Path(name).stem: _matrix(name) for name in settings["matrices"]}
    tables: dict[str, Any] = {}
    notes: list[str] = []
    charts: dict[str, Any] = {}
    measure = settings["measure"]
    judgments, said = _read(request)
    notes += said
    if judgments is not None:
        fitting = {name: m for name, m in matrices.items() if len(m) == len(judgments.scale)}
        study = ceiling_study(judgments, measure, elsewhere=fitting, min_documents=settings["min_documents"])
        tables |= study.tables()
        notes += study.notes

        def figure() -> Any:
            from dissensus.report.charts.ceiling import cross_chart

            return cross_chart(study.figure, measure.partition("(")[0])

        charts["fig1"] = figure
    data: dict[str, Any] = {Path(p).name: read_features(p).judgments() for p in settings["letor"]}
    if matrices and not data and judgments is not None:
        data = {"judgments": judgments}
    if data and not matrices:
        raise InputError("ceilings of data sets need confusion matrices.", "--set matrices=C.json,trec-rf10-crowd")
    if data:
        best = dict(zip(data, (float(b) for b in settings["best"]), strict=False))
        options: dict[str, Any] = {"samples": settings["samples"], "seed": request.seed}
        tables["Table 1"] = limits(data, matrices, measure, best=best, **options)
    return Outcome(tables=tables, notes=notes, charts=charts)


def _matrix(name: str) -> Confusion:
    from pathlib import Path

    from dissensus.judges.confusion.api import Confusion
    from dissensus.judges.confusion.published import published

    return Confusion.read(name) if Path(name).exists() or name.endswith(".json") else published(name)


def _read(request: Request) -> tuple[Judgments | None, list[str]]:
    from dissensus.data.readers.api import read_judgments

    files = [*request.files, *request.judgments]
    if files:
        return read_judgments(*files, scale=request.scale, repeated="keep"), []
    if request.settings["letor"]:
        return None, []
    from dissensus.data.samples import generated_collection

    note = "generated collection: name a file of judgments for real ones"
    return generated_collection(request.seed).judgments, [note]
