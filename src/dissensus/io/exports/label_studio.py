"""Label Studio's exports: annotations are people, predictions are judges.

    [{"id": 1, "data": {"qid": "q1", "docno": "d1", …}, "annotations": [{"completed_by": 3, "was_cancelled": false,
      "result": [{"from_name": "relevance", "type": "choices", "value": {"choices": ["2"]}}]}],
      "predictions": [{"model_version": "llm", "result": […]}]}]

Topic and document are found in `data` by the usual names; without a topic all tasks belong to one, without a document a
task's id names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dissensus.errors import Fix, Option
from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, list_of, text
from dissensus.io.table import Rows
from dissensus.tables.columns import ONE_TOPIC, column_or_none

NAME = "Label Studio"


def opens(document: ExportedFile) -> bool:
    return document.all_have("data", "annotations") and all(isinstance(r["data"], dict) for r in document.records)


def read(document: ExportedFile, question: str | None = None) -> dict[Kind, Rows]:
    """The judgments; `question` is the control (from_name) whose answers are the grades, where there are several."""
    asked = sorted({str(r.get("from_name")) for t in document.records for _, given, _ in _answers(t) for r in given})
    refuse_several(document, question, asked, "the tasks ask several questions")
    sheet, missing, total, topicless = Sheet("judgments"), 0, 0, False
    for i, task in enumerate(document.records):
        topic, doc = ids_of(task["data"], str(document.path))
        topicless |= topic is None
        for who, given, cancelled in _answers(task):
            total += 1
            grade = next((_value(r) for r in given if question in (None, r.get("from_name"))), None)
            if cancelled or grade is None:
                missing += 1
                continue
            sheet.add(document.place(i), topic=topic or ONE_TOPIC, doc=doc or str(task.get("id", i + 1)),
                      assessor=who, grade=grade)  # fmt: skip
    one = f"the tasks name no topic: all belong to one, {ONE_TOPIC!r}" if topicless else ""
    lost = dropped(missing, total, "were cancelled or empty")
    return {"judgments": sheet.rows("Label Studio: annotations are people, predictions judges", one, lost)}


def refuse_several(document: ExportedFile, question: str | None, asked: Sequence[str], what: str) -> None:
    """Several questions need somebody to say which of them is about relevance."""
    if question is None and len(asked) > 1:
        raise document.wrong(
            str(document.path),
            f"{what}: {', '.join(asked)}",
            Fix("Say which with ", Option("columns"), f", as in grade={asked[0]}."),
        )


def ids_of(data: Mapping[str, object], source: str) -> tuple[str | None, str | None]:
    """(topic, document) among the fields of a task."""
    found = (column_or_none([k for k, v in data.items() if text(v)], role, source) for role in ("topic", "doc"))
    topic, doc = (text(data[c]) if c is not None else None for c in found)
    return topic, doc


def _answers(task: Mapping[str, object]) -> Iterable[tuple[str, list[Mapping[str, Any]], bool]]:
    """(who, results, cancelled) of every annotation and prediction."""
    for given in list_of(task.get("annotations")):
        by = given.get("completed_by")
        who = by.get("email") or by.get("id") if isinstance(by, dict) else by
        yield text(who) or "anonymous", list(list_of(given.get("result"))), bool(given.get("was_cancelled"))
    for given in list_of(task.get("predictions")):
        yield text(given.get("model_version")) or "prediction", list(list_of(given.get("result"))), False


def _value(result: Mapping[str, object]) -> object:
    value = result.get("value")
    if not isinstance(value, dict):
        return None
    choices = value.get("choices")
    return choices[0] if isinstance(choices, list) and len(choices) == 1 else value.get("rating", value.get("number"))
