"""Objects in objects, as pytrec_eval and ranx have them: {topic: {document: number}}, or one level more with names.

{"q1": {"d1": 12.5, "d2": 11.0}}                    one run, or one assessor's judgments, named after the file
{"bm25": {"q1": {"d1": 12.5}}, "dense": {…}}        several
"""

from __future__ import annotations

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, number
from dissensus.io.table import Rows

NAME = "{topic: {document: number}}"


def _depth(value: object) -> int:
    """Levels of objects above numbers; 0 where the leaves are something else or at different depths."""
    if not isinstance(value, dict) or not value:
        return 0
    inner = list(value.values())
    if all(not isinstance(v, dict | list) and number(v) is not None for v in inner):
        return 1
    depths = {_depth(v) for v in inner if not _hollow(v)}
    return depths.pop() + 1 if len(depths) == 1 and 0 not in depths else 0


def _hollow(value: object) -> bool:
    """Objects that hold no number at all: a topic without documents, a name without topics."""
    return isinstance(value, dict) and all(_hollow(v) for v in value.values())


def opens(document: ExportedFile) -> bool:
    return _depth(document.value) in (2, 3)


def read(document: ExportedFile) -> dict[Kind, Rows]:
    three = _depth(document.value) == 3
    runs, judged = Sheet("runs"), Sheet("judgments")
    for name, topics in document.value.items() if three else [(None, document.value)]:
        for topic, docs in topics.items():
            for doc, value in docs.items():
                place = f"{document.path}, {f'{name}.' if three else ''}{topic}.{doc}"
                runs.add(place, topic=topic, doc=doc, score=value, **({"system": name} if three else {}))
                judged.add(place, topic=topic, doc=doc, grade=value, **({"assessor": name} if three else {}))
    silent = [str(name) for name, own in document.value.items() if three and _hollow(own)]
    note = f"left out because without documents: {', '.join(silent)}" if silent else ""
    return {"runs": runs.rows(note), "judgments": judged.rows(note)}
