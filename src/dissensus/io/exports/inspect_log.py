"""Inspect AI's logs as JSON: samples scored by scorers; C, P, I, N count 1, 0.5, 0, 0 and epochs are repeats.

{"eval": {"model": "openai/gpt-4o", "task": "t"}, "samples": [{"id": 1, "epoch": 1,
  "scores": {"model_graded_qa": {"value": "C", "answer": "…", "explanation": "…"}}}]}
"""

from __future__ import annotations

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, dropped, number, text
from dissensus.io.table import Rows

NAME = "an Inspect AI log"
LETTERS = {"C": 1, "P": 0.5, "I": 0, "N": 0}


def opens(document: ExportedFile) -> bool:
    value = document.value
    samples = value.get("samples") if isinstance(value, dict) else None
    return isinstance(samples, list) and bool(samples) and all(isinstance(s, dict) and "scores" in s for s in samples)


def read(document: ExportedFile) -> dict[Kind, Rows]:
    judged, values, missing, total = Sheet("judgments"), dict[tuple[str, str], list[float]](), 0, 0
    system = text((document.value.get("eval") or {}).get("model")) or "model"
    for i, sample in enumerate(document.value["samples"]):
        place, topic = f"{document.path}, samples[{i}]", text(sample.get("id")) or str(i + 1)
        for scorer, score in (sample.get("scores") or {}).items():
            total += 1
            value = _value(score.get("value") if isinstance(score, dict) else score)
            if value is None:
                missing += 1
                continue
            judged.add(place, topic=topic, doc=system, assessor=scorer, grade=value)
            values.setdefault((topic, scorer), []).append(float(value))
    scores = Sheet("scores")
    for (topic, scorer), found in values.items():
        scores.add(str(document.path), system=system, topic=topic, measure=scorer, value=sum(found) / len(found))
    note = "Inspect: the sample is the topic, the model the system; C, P, I, N count 1, 0.5, 0, 0"
    lost = dropped(missing, total, "have no value that is a number or one of C, P, I, N")
    return {
        "judgments": judged.rows(f"{note}; scorers are assessors, epochs repeats", lost),
        "scores": scores.rows(f"{note}; epochs are averaged", lost),
    }


def _value(value: object) -> float | int | None:
    return LETTERS[value] if isinstance(value, str) and value in LETTERS else number(value)
