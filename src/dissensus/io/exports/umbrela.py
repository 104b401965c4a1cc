"""UMBRELA's JSON lines: an LLM's judgments of passages, which carry texts and no ids.

    {"model": "gpt-4o", "query": "…", "passage": "…", "prediction": "…", "judgment": 2, "result_status": 1}

`result_status` 0 means that the answer could not be parsed; its judgment, set to 0, is missing, not a grade of 0. The
request file, given beside it, holds the ids:

    {"query": {"text": "…", "qid": "q1"}, "candidates": [{"docid": "d1", "doc": {"segment": "…"}}]}

Several samples of one passage are repeats.
"""

from __future__ import annotations

from typing import Any

from dissensus.arrays import Values
from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, number, text
from dissensus.io.table import Rows

NAME = "UMBRELA"


def opens(document: ExportedFile) -> bool:
    return document.all_have("judgment", "result_status") or opens_request(document)


def opens_request(document: ExportedFile) -> bool:
    """Is this the request file, which holds the ids?"""
    records = document.records or [document.value]
    return all(
        isinstance(r, dict) and isinstance(r.get("candidates"), list) and isinstance(r.get("query"), dict)
        for r in records
    )


def ids(document: ExportedFile) -> dict[tuple[str, str], tuple[str, str]]:
    """(query text, passage text) → (qid, docid) of a request file."""
    out: dict[tuple[str, str], tuple[str, str]] = {}
    for record in document.records or [document.value]:
        query = record["query"]
        for candidate in list_of(record["candidates"]):
            body = candidate.get("doc")
            if isinstance(body, dict):
                body = body.get("segment") or body.get("contents") or body.get("text")
            qid, docid = text(query.get("qid")), text(candidate.get("docid"))
            if qid is None or docid is None:
                raise document.wrong(str(document.path), "a request has query.qid and candidates[].docid")
            out[text(query.get("text")) or "", text(body) or ""] = qid, docid
    return out


def read(document: ExportedFile, names: dict[tuple[str, str], tuple[str, str]] | None = None) -> dict[Kind, Rows]:
    sheet, failed = Sheet("judgments"), 0
    named = any("model" in record for record in document.records)
    for i, record in enumerate(document.records):
        if number(record["result_status"]) == 0:
            failed += 1
            continue
        topic, doc = _ids(document, i, record, names)
        values: Values = {"topic": topic, "doc": doc, "grade": record["judgment"]}
        if named:
            values["assessor"] = text(record.get("model")) or "anonymous"
        sheet.add(document.place(i), **values)
    total = len(document.records)
    note = "UMBRELA: the model is the assessor"
    return {"judgments": sheet.rows(note, dropped(failed, total, "could not be parsed by the judge"))}


def _ids(
    document: ExportedFile, i: int, record: Any, names: dict[tuple[str, str], tuple[str, str]] | None
) -> tuple[str, str]:
    qid, docid = text(record.get("qid")), text(record.get("docid"))
    if qid is not None and docid is not None:
        return qid, docid
    key = text(record.get("query")) or "", text(record.get("passage")) or ""
    if names is None:
        raise document.wrong(
            document.place(i),
            "the judgment holds texts and no ids",
            "Give the request file, which holds query.qid and candidates[].docid, beside it.",
        )
    if key not in names:
        raise document.wrong(
            document.place(i), f"the request file lacks the passage {key[1][:40]!r} of {key[0][:40]!r}"
        )
    return names[key]
