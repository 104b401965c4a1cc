"""promptfoo's results: the system is a provider with a prompt, the topic a test, the assessors are its assertions.

{"results": {"results": [{"promptIdx": 0, "testIdx": 3, "score": 1, "provider": {"id": "openai:gpt-4o"},
  "namedScores": {"accuracy": 1}, "gradingResult": {"componentResults": [{"pass": true, "score": 1,
  "assertion": {"type": "llm-rubric"}}]}}]}}
"""

from __future__ import annotations

from typing import Any

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, list_of, number, text
from dissensus.io.table import Rows

NAME = "promptfoo"


def _results(value: object) -> list[Any]:
    inner = value.get("results") if isinstance(value, dict) else None
    return list(list_of(inner.get("results") if isinstance(inner, dict) else inner))


def opens(document: ExportedFile) -> bool:
    found = _results(document.value)
    return bool(found) and all(isinstance(r, dict) and "testIdx" in r and "promptIdx" in r for r in found)


def read(document: ExportedFile) -> dict[Kind, Rows]:
    judged, scores, failed = Sheet("judgments"), Sheet("scores"), 0
    found = _results(document.value)
    prompts = len({r["promptIdx"] for r in found})
    for i, result in enumerate(found):
        place = f"{document.path}, results[{i}]"
        provider = result.get("provider")
        name = text((provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider)
        system = (name or "provider") + (f" × prompt {result['promptIdx']}" if prompts > 1 else "")
        topic = text(result["testIdx"])
        value = number(result.get("score"))
        if value is None or (result.get("error") and not result.get("gradingResult")):
            failed += 1
            continue
        scores.add(place, system=system, topic=topic, measure="score", value=value)
        for measure, inner in (result.get("namedScores") or {}).items():
            scores.add(place, system=system, topic=topic, measure=measure, value=number(inner))
        for part in list_of((result.get("gradingResult") or {}).get("componentResults")):
            check = part.get("assertion") or {}
            who = text(check.get("metric") or check.get("type")) or "assertion"
            judged.add(place, topic=topic, doc=system, assessor=who, grade=number(part.get("score", part.get("pass"))))
    left = f"{failed:,} of {len(found):,} results failed: treated as missing" if failed else ""
    note = "promptfoo: testIdx is the topic, provider and prompt the system"
    out: dict[Kind, Rows] = {"scores": scores.rows(note, left)} if scores else {}
    if judged:
        out["judgments"] = judged.rows(f"{note} (here the document), the assertion the assessor", left)
    return out
