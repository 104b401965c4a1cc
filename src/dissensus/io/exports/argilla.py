"""Argilla's records: responses by user, suggestions by agent.

    [{"id": …, "fields": {…}, "metadata": {"qid": "q1", "docno": "d1"},
      "responses": {"relevance": [{"value": 2, "user_id": "u1", "status": "submitted"}]},
      "suggestions": {"relevance": {"value": 1, "agent": "llm", "score": .8}}}]

Responses and suggestions may also be lists, as in version 1: `{"user_id", "values": {"relevance": {"value"}}}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, text
from dissensus.io.exports.label_studio import ids_of, refuse_several
from dissensus.io.table import Rows
from dissensus.tables.columns import ONE_TOPIC

NAME = "Argilla"


def opens(document: ExportedFile) -> bool:
    return document.all_have("fields", "responses")


def read(document: ExportedFile, question: str | None = None) -> dict[Kind, Rows]:
    """The judgments; `question` is the one whose answers are the grades, where there are several."""
    asked = sorted({q for record in document.records for q, *_ in _answers(record)})
    refuse_several(document, question, asked, "the records hold several questions")
    sheet, missing, total, topicless = Sheet("judgments"), 0, 0, False
    for i, record in enumerate(document.records):
        data = {**(record.get("fields") or {}), **(record.get("metadata") or {})}
        topic, doc = ids_of(data, str(document.path))
        topicless |= topic is None
        for asked_one, who, value, status in _answers(record):
            if question not in (None, asked_one):
                continue
            total += 1
            if value is None or status in ("draft", "discarded"):
                missing += 1
                continue
            sheet.add(document.place(i), topic=topic or ONE_TOPIC, doc=doc or str(record.get("id", i + 1)),
                      assessor=who, grade=value)  # fmt: skip
    one = f"the records name no topic: all belong to one, {ONE_TOPIC!r}" if topicless else ""
    return {
        "judgments": sheet.rows(
            "Argilla: users and agents are the assessors", one, dropped(missing, total, "are drafts or empty")
        )
    }


def _answers(record: Mapping[str, object]) -> Iterable[tuple[str, str, Any, str]]:
    """(question, who, value, status) of every response and suggestion."""
    responses, suggestions = record.get("responses"), record.get("suggestions")
    if isinstance(responses, dict):
        for question, given in responses.items():
            for one in list_of(given):
                yield question, text(one.get("user_id")) or "anonymous", one.get("value"), str(one.get("status"))
    for one in list_of(responses):
        for question, value in (one.get("values") or {}).items():
            inner = value.get("value") if isinstance(value, dict) else value
            yield question, text(one.get("user_id")) or "anonymous", inner, str(one.get("status"))
    if isinstance(suggestions, dict):
        for question, one in suggestions.items():
            inner = one.get("value") if isinstance(one, dict) else one
            yield question, (text(one.get("agent")) if isinstance(one, dict) else None) or "suggestion", inner, ""
    for one in list_of(suggestions):
        yield str(one.get("question_name")), text(one.get("agent")) or "suggestion", one.get("value"), ""
