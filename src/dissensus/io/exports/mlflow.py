"""MLflow's assessments of traces, by people, LLM judges and code.

    [{"trace_id": "tr-1", "name": "relevance", "source": {"source_type": "LLM_JUDGE", "source_id": "gpt-4o"},
      "feedback": {"value": 2}, "rationale": "…"}]

The trace is the topic, the assessment's name the document (what is judged of the trace), source_id the assessor. An
assessment with an error has no value. A list of traces, each with `assessments`, is understood, too.
"""

from __future__ import annotations

from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, text
from dissensus.io.table import Rows

NAME = "MLflow assessments"


def _assessments(document: ExportedFile) -> list[tuple[int, Any]]:
    value = document.value
    records = document.records or list_of(value.get("assessments") if isinstance(value, dict) else None)
    out: list[tuple[int, Any]] = []
    for i, record in enumerate(records):
        inner = record.get("assessments", (record.get("info") or {}).get("assessments"))
        out += [(i, one) for one in list_of(inner)] if inner is not None else [(i, record)]
    return out


def opens(document: ExportedFile) -> bool:
    value = document.value
    if not (document.records or (isinstance(value, dict) and isinstance(value.get("assessments"), list))):
        return False
    found = _assessments(document)
    return bool(found) and all(
        isinstance(a, dict) and "trace_id" in a and isinstance(a.get("source"), dict) for _, a in found
    )


def read(document: ExportedFile) -> dict[Kind, Rows]:
    sheet, missing = Sheet("judgments"), 0
    found = _assessments(document)
    for i, one in found:
        given = one.get("feedback") or one.get("expectation") or {}
        value = given.get("value") if isinstance(given, dict) else None
        if value is None or isinstance(value, dict | list) or one.get("error") or given.get("error"):
            missing += 1
            continue
        source = one["source"]
        who = text(source.get("source_id")) or text(source.get("source_type")) or "anonymous"
        name = text(one.get("name")) or "assessment"
        sheet.add(document.place(i), topic=text(one["trace_id"]), doc=name, assessor=who, grade=value)
    note = "MLflow: the trace is the topic, the assessment's name the document, source_id the assessor"
    return {"judgments": sheet.rows(note, dropped(missing, len(found), "have an error or no value"))}
