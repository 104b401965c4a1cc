"""DeepEval's test runs: the topic is a test case, its metrics are measures (and, for judgments, assessors).

{"testCases": [{"name": "t1", "input": "…", "metricsData": [{"name": "Faithfulness", "score": .8, "success": true}]}]}
"""

from __future__ import annotations

from dissensus.io.exports.document import ExportedFile, Kind, Sheet, list_of, number, text
from dissensus.io.files import stem
from dissensus.io.table import Rows

NAME = "a DeepEval test run"


def opens(document: ExportedFile) -> bool:
    value = document.value
    return isinstance(value, dict) and isinstance(value.get("testCases"), list)


def read(document: ExportedFile) -> dict[Kind, Rows]:
    judged, scores, failed = Sheet("judgments"), Sheet("scores"), 0
    for i, case in enumerate(document.value["testCases"]):
        place = f"{document.path}, testCases[{i}]"
        topic = text(case.get("name")) or text(case.get("input")) if isinstance(case, dict) else None
        if topic is None:
            raise document.wrong(place, "a test case has a name or an input")
        for metric in list_of(case.get("metricsData")):
            value, name = number(metric.get("score")), text(metric.get("name"))
            if value is None or name is None:
                failed += 1
                continue
            scores.add(place, topic=topic, measure=name, value=value)
            judged.add(place, topic=topic, doc=stem(document.path), assessor=name, grade=value)
    left = f"{failed:,} metrics without a score: treated as missing" if failed else ""
    return {
        "judgments": judged.rows("DeepEval: the test case is the topic, the metric the assessor", left),
        "scores": scores.rows("DeepEval: the test case is the topic", left),
    } if scores else {}  # fmt: skip
