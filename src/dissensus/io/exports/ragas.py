"""ragas' samples: retrieved ids in order are a run, reference ids are qrels, metric columns are scores.

{"user_input": "…", "retrieved_context_ids": ["d3", "d1"], "reference_context_ids": ["d1"], "response": "…",
 "context_recall": 1.0}
"""

from __future__ import annotations

import ast
import json
from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, number, text
from dissensus.io.table import Rows

NAME = "ragas"
_FIELDS = {
    "user_input", "retrieved_contexts", "retrieved_context_ids", "reference_context_ids", "reference_contexts",
    "response", "reference", "rubrics", "multi_responses", "persona_name", "query_style", "query_length",
    "synthesizer_name",
}  # fmt: skip


def opens(document: ExportedFile) -> bool:
    return document.all_have("user_input") and any(
        key.startswith(("retrieved_context", "reference_context")) or key in ("response", "reference")
        for key in document.records[0]
    )


def read(document: ExportedFile) -> dict[Kind, Rows]:
    runs, judged, scores = Sheet("runs"), Sheet("judgments"), Sheet("scores")
    for i, record in enumerate(document.records):
        place, topic = document.place(i), text(record["user_input"])
        if topic is None:
            raise document.wrong(place, "the user_input is empty")
        for rank, doc in enumerate(_ids(document, place, record.get("retrieved_context_ids")), 1):
            runs.add(f"{place}, rank {rank}", topic=topic, doc=doc, score=-rank)
        for doc in _ids(document, place, record.get("reference_context_ids")):
            judged.add(place, topic=topic, doc=doc, assessor="reference", grade=1)
        for name, value in record.items():
            if name not in _FIELDS and number(value) is not None:
                scores.add(place, topic=topic, measure=name, value=number(value))
    out: dict[Kind, Rows] = {}
    if runs:
        out["runs"] = runs.rows("ragas: user_input is the topic, retrieved_context_ids are a ranking, best first")
    if judged:
        out["judgments"] = judged.rows("ragas: reference_context_ids are relevant (grade 1); nothing else is judged")
    if scores:
        out["scores"] = scores.rows("ragas: columns with numbers are measures")
    return out


def _ids(document: ExportedFile, place: str, value: Any) -> list[str]:
    """A list of ids; a table writes it as text."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            try:
                value = ast.literal_eval(value)
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                raise document.wrong(place, f"{value[:60]!r} is not a list of ids") from None
    if value is None or value == "":
        return []
    if not isinstance(value, list) or any(text(v) is None for v in value):
        raise document.wrong(place, f"{str(value)[:60]!r} is not a list of ids")
    return [str(text(v)) for v in value]
